namespace CoAP.NET;

/// <summary>The request methods, with their code details as values (RFC 7252 section 5.8, RFC 8132).</summary>
/// <remarks>Other values from 8 to 31 may be cast.</remarks>
public enum CoapMethod : byte
{
    /// <summary>0.01: retrieves a representation.</summary>
    /// <remarks>Safe and idempotent (RFC 7252 section 5.8.1).</remarks>
    Get = 1,

    /// <summary>0.02: has the representation processed.</summary>
    /// <remarks>Neither safe nor idempotent (RFC 7252 section 5.8.2).</remarks>
    Post = 2,

    /// <summary>0.03: creates or replaces the resource.</summary>
    /// <remarks>Idempotent (RFC 7252 section 5.8.3).</remarks>
    Put = 3,

    /// <summary>0.04: deletes the resource.</summary>
    /// <remarks>Idempotent (RFC 7252 section 5.8.4).</remarks>
    Delete = 4,

    /// <summary>0.05: retrieves what the payload asks for.</summary>
    /// <remarks>Safe and idempotent (RFC 8132 section 2).</remarks>
    Fetch = 5,

    /// <summary>0.06: changes a part of the resource.</summary>
    /// <remarks>Neither safe nor idempotent (RFC 8132 section 3).</remarks>
    Patch = 6,

    /// <summary>0.07: changes a part of the resource.</summary>
    /// <remarks>Idempotent (RFC 8132 section 3).</remarks>
    IPatch = 7,
}
