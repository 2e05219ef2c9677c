namespace CoAP.NET;

/// <summary>The messages in which an option is defined.</summary>
[Flags]
public enum OptionApplicability : byte
{
    /// <summary>No messages.</summary>
    None = 0,

    /// <summary>Requests.</summary>
    Request = 1,

    /// <summary>Responses.</summary>
    Response = 2,

    /// <summary>Signalling messages with the code of the definition (RFC 8323 section 5).</summary>
    Signalling = 4,

    /// <summary>Requests and responses.</summary>
    Both = Request | Response,
}
