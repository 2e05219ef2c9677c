namespace CoAP.NET.Site.Tests.Declared;

/// <summary>A point.</summary>
/// <param name="X">To the right.</param>
/// <param name="Y">Up.</param>
public readonly record struct Point(int X, int Y);
