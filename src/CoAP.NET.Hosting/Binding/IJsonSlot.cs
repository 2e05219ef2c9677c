namespace CoAP.NET.Binding;

/// <summary>A parameter or result of a handler whose type is serialized as JSON or CBOR.</summary>
internal interface IJsonSlot
{
    Type Type { get; }

    /// <summary>A readable description of the place.</summary>
    string Place { get; }

    /// <summary>Finds the metadata of System.Text.Json for the type, and keeps it.</summary>
    /// <returns>Whether the metadata is sufficient.</returns>
    bool TryPrepare(CoapJsonOptions options);
}
