namespace CoAP.NET;

/// <summary>
/// The request methods, with their code details as values (RFC 7252 section 5.8, RFC 8132). Other values from 8 to 31 may be cast.
/// </summary>
public enum CoapMethod : byte
{
    /// <summary>0.01: retrieves a representation. Safe and idempotent (RFC 7252 section 5.8.1).</summary>
    Get = 1,

    /// <summary>0.02: has the representation processed. Neither safe nor idempotent (RFC 7252 section 5.8.2).</summary>
    Post = 2,

    /// <summary>0.03: creates or replaces the resource. Idempotent (RFC 7252 section 5.8.3).</summary>
    Put = 3,

    /// <summary>0.04: deletes the resource. Idempotent (RFC 7252 section 5.8.4).</summary>
    Delete = 4,

    /// <summary>0.05: retrieves what the payload asks for. Safe and idempotent (RFC 8132 section 2).</summary>
    Fetch = 5,

    /// <summary>0.06: changes a part of the resource. Neither safe nor idempotent (RFC 8132 section 3).</summary>
    Patch = 6,

    /// <summary>0.07: changes a part of the resource. Idempotent (RFC 8132 section 3).</summary>
    IPatch = 7,
}
