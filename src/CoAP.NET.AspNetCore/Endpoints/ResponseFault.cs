namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Why a response of a handler cannot be sent.</summary>
internal enum ResponseFault
{
    /// <summary>Its body has more bytes than it may.</summary>
    TooLarge,

    /// <summary>It is a stream of events.</summary>
    NeverEnds,
}
