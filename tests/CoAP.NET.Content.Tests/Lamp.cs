using System.Text.Json.Serialization;

namespace CoAP.NET.Content.Tests;

/// <summary>A representation for tests.</summary>
/// <param name="On">Whether it is on.</param>
public sealed record Lamp([property: JsonRequired] bool On);
