namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>A type that no context knows.</summary>
public sealed record Unknown(int Value);
