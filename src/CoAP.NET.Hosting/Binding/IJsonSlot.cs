namespace CoAP.NET.Binding;

/// <summary>A place of a handler where a type of its own becomes JSON or CBOR, or is made of them.</summary>
internal interface IJsonSlot
{
    Type Type { get; }

    /// <summary>What the place is, for people.</summary>
    string Place { get; }

    /// <summary>Looks for what System.Text.Json knows of the type, and keeps it.</summary>
    /// <returns>Whether it knows enough.</returns>
    bool TryPrepare(CoapJsonOptions options);
}
