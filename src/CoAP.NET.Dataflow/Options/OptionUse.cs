namespace CoAP.NET.Options;

/// <summary>In which messages an option is defined. Elsewhere it counts as unrecognized (RFC 7252 section 5.4).</summary>
[Flags]
public enum OptionUse : byte
{
    /// <summary>In none.</summary>
    None = 0,

    /// <summary>In requests.</summary>
    Request = 1,

    /// <summary>In responses.</summary>
    Response = 2,

    /// <summary>In signalling messages of the code that the definition names (RFC 8323 section 5).</summary>
    Signalling = 4,

    /// <summary>In requests and responses.</summary>
    Both = Request | Response,
}
