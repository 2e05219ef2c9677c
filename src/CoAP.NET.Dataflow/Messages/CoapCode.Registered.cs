namespace CoAP.NET;

// The registered codes (RFC 7252 section 12.1 and later documents).
public readonly partial record struct CoapCode
{
    /// <summary>0.00 Empty (RFC 7252 section 4.1).</summary>
    public static CoapCode Empty => new((byte)0);

    /// <summary>0.01 GET (RFC 7252 section 5.8.1).</summary>
    public static CoapCode Get => new((byte)1);

    /// <summary>0.02 POST (RFC 7252 section 5.8.2).</summary>
    public static CoapCode Post => new((byte)2);

    /// <summary>0.03 PUT (RFC 7252 section 5.8.3).</summary>
    public static CoapCode Put => new((byte)3);

    /// <summary>0.04 DELETE (RFC 7252 section 5.8.4).</summary>
    public static CoapCode Delete => new((byte)4);

    /// <summary>0.05 FETCH (RFC 8132 section 2).</summary>
    public static CoapCode Fetch => new((byte)5);

    /// <summary>0.06 PATCH (RFC 8132 section 3).</summary>
    public static CoapCode Patch => new((byte)6);

    /// <summary>0.07 iPATCH (RFC 8132 section 3).</summary>
    public static CoapCode IPatch => new((byte)7);

    /// <summary>2.01 Created (RFC 7252 section 5.9.1.1).</summary>
    public static CoapCode Created => new((byte)65);

    /// <summary>2.02 Deleted (RFC 7252 section 5.9.1.2).</summary>
    public static CoapCode Deleted => new((byte)66);

    /// <summary>2.03 Valid (RFC 7252 section 5.9.1.3).</summary>
    public static CoapCode Valid => new((byte)67);

    /// <summary>2.04 Changed (RFC 7252 section 5.9.1.4).</summary>
    public static CoapCode Changed => new((byte)68);

    /// <summary>2.05 Content (RFC 7252 section 5.9.1.5).</summary>
    public static CoapCode Content => new((byte)69);

    /// <summary>2.31 Continue (RFC 7959 section 2.9.1).</summary>
    public static CoapCode Continue => new((byte)95);

    /// <summary>4.00 Bad Request (RFC 7252 section 5.9.2.1).</summary>
    public static CoapCode BadRequest => new((byte)128);

    /// <summary>4.01 Unauthorized (RFC 7252 section 5.9.2.2).</summary>
    public static CoapCode Unauthorized => new((byte)129);

    /// <summary>4.02 Bad Option (RFC 7252 section 5.9.2.3).</summary>
    public static CoapCode BadOption => new((byte)130);

    /// <summary>4.03 Forbidden (RFC 7252 section 5.9.2.4).</summary>
    public static CoapCode Forbidden => new((byte)131);

    /// <summary>4.04 Not Found (RFC 7252 section 5.9.2.5).</summary>
    public static CoapCode NotFound => new((byte)132);

    /// <summary>4.05 Method Not Allowed (RFC 7252 section 5.9.2.6).</summary>
    public static CoapCode MethodNotAllowed => new((byte)133);

    /// <summary>4.06 Not Acceptable (RFC 7252 section 5.9.2.7).</summary>
    public static CoapCode NotAcceptable => new((byte)134);

    /// <summary>4.08 Request Entity Incomplete (RFC 7959 section 2.9.2).</summary>
    public static CoapCode RequestEntityIncomplete => new((byte)136);

    /// <summary>4.09 Conflict (RFC 8132 section 3.4).</summary>
    public static CoapCode Conflict => new((byte)137);

    /// <summary>4.12 Precondition Failed (RFC 7252 section 5.9.2.8).</summary>
    public static CoapCode PreconditionFailed => new((byte)140);

    /// <summary>4.13 Request Entity Too Large (RFC 7252 section 5.9.2.9).</summary>
    public static CoapCode RequestEntityTooLarge => new((byte)141);

    /// <summary>4.15 Unsupported Content-Format (RFC 7252 section 5.9.2.10).</summary>
    public static CoapCode UnsupportedContentFormat => new((byte)143);

    /// <summary>4.22 Unprocessable Entity (RFC 8132 section 3.4).</summary>
    public static CoapCode UnprocessableEntity => new((byte)150);

    /// <summary>4.29 Too Many Requests (RFC 8516 section 3).</summary>
    public static CoapCode TooManyRequests => new((byte)157);

    /// <summary>5.00 Internal Server Error (RFC 7252 section 5.9.3.1).</summary>
    public static CoapCode InternalServerError => new((byte)160);

    /// <summary>5.01 Not Implemented (RFC 7252 section 5.9.3.2).</summary>
    public static CoapCode NotImplemented => new((byte)161);

    /// <summary>5.02 Bad Gateway (RFC 7252 section 5.9.3.3).</summary>
    public static CoapCode BadGateway => new((byte)162);

    /// <summary>5.03 Service Unavailable (RFC 7252 section 5.9.3.4).</summary>
    public static CoapCode ServiceUnavailable => new((byte)163);

    /// <summary>5.04 Gateway Timeout (RFC 7252 section 5.9.3.5).</summary>
    public static CoapCode GatewayTimeout => new((byte)164);

    /// <summary>5.05 Proxying Not Supported (RFC 7252 section 5.9.3.6).</summary>
    public static CoapCode ProxyingNotSupported => new((byte)165);

    /// <summary>5.08 Hop Limit Reached (RFC 8768 section 4).</summary>
    public static CoapCode HopLimitReached => new((byte)168);

    /// <summary>7.01 CSM (RFC 8323 section 5.3).</summary>
    public static CoapCode Csm => new((byte)225);

    /// <summary>7.02 Ping (RFC 8323 section 5.4).</summary>
    public static CoapCode Ping => new((byte)226);

    /// <summary>7.03 Pong (RFC 8323 section 5.4).</summary>
    public static CoapCode Pong => new((byte)227);

    /// <summary>7.04 Release (RFC 8323 section 5.5).</summary>
    public static CoapCode Release => new((byte)228);

    /// <summary>7.05 Abort (RFC 8323 section 5.6).</summary>
    public static CoapCode Abort => new((byte)229);

    /// <summary>The registered name, such as <c>Not Found</c>; null for an unknown code.</summary>
    public string? Name => Value switch
    {
        0 => "Empty",
        1 => "GET",
        2 => "POST",
        3 => "PUT",
        4 => "DELETE",
        5 => "FETCH",
        6 => "PATCH",
        7 => "iPATCH",
        65 => "Created",
        66 => "Deleted",
        67 => "Valid",
        68 => "Changed",
        69 => "Content",
        95 => "Continue",
        128 => "Bad Request",
        129 => "Unauthorized",
        130 => "Bad Option",
        131 => "Forbidden",
        132 => "Not Found",
        133 => "Method Not Allowed",
        134 => "Not Acceptable",
        136 => "Request Entity Incomplete",
        137 => "Conflict",
        140 => "Precondition Failed",
        141 => "Request Entity Too Large",
        143 => "Unsupported Content-Format",
        150 => "Unprocessable Entity",
        157 => "Too Many Requests",
        160 => "Internal Server Error",
        161 => "Not Implemented",
        162 => "Bad Gateway",
        163 => "Service Unavailable",
        164 => "Gateway Timeout",
        165 => "Proxying Not Supported",
        168 => "Hop Limit Reached",
        225 => "CSM",
        226 => "Ping",
        227 => "Pong",
        228 => "Release",
        229 => "Abort",
        _ => null,
    };
}
