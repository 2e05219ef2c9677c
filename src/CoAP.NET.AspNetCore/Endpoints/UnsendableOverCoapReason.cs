namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The reason why the response of a handler cannot be sent.</summary>
internal enum UnsendableOverCoapReason
{
    /// <summary>Its body exceeds the maximum.</summary>
    TooLarge,

    /// <summary>It is a stream of events.</summary>
    NeverEnds,
}
