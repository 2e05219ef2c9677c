using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>A parameter or result of a handler whose type is serialized as JSON, as CBOR, or by a formatter of the application.</summary>
internal interface ISerializedParameterOrResult
{
    Type Type { get; }

    /// <summary>A readable description of the place.</summary>
    string Place { get; }

    /// <summary>Finds the metadata of System.Text.Json and the formatters for the type, and keeps them.</summary>
    /// <param name="options">The options of the route.</param>
    /// <param name="problem">What is missing or ambiguous.</param>
    /// <returns>Whether the type can be serialized.</returns>
    bool TryPrepare(CoapJsonOptions options, [NotNullWhen(false)] out string? problem);
}
