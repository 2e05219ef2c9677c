namespace CoAP.NET.Site.Tests.Declared;

/// <summary>Draws a shape.</summary>
/// <param name="shape">Which one.</param>
/// <returns>Whether it could.</returns>
public delegate bool Drawing<in T>(T shape)
    where T : ShapeBase;
