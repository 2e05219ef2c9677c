using System.Globalization;

namespace CoAP.NET;

/// <summary>The code of a message: a 3-bit class and a 5-bit detail, written <c>c.dd</c> (RFC 7252 section 3).</summary>
/// <remarks>A value, not an enumeration: an unregistered code is valid and is handled by its class.</remarks>
public readonly record struct CoapCode
{
    /// <summary>Creates it from its number.</summary>
    /// <param name="value">The byte on the wire: class &lt;&lt; 5 | detail.</param>
    public CoapCode(byte value) => Value = value;

    /// <summary>The byte on the wire: class &lt;&lt; 5 | detail.</summary>
    public byte Value { get; }

    /// <summary>Creates a code from its class and detail.</summary>
    /// <param name="codeClass">The class, 0 to 7.</param>
    /// <param name="detail">The detail, 0 to 31.</param>
    /// <exception cref="ArgumentOutOfRangeException">A part is out of range.</exception>
    public CoapCode(int codeClass, int detail)
        : this(Compose(codeClass, detail))
    {
    }

    /// <summary>The class, 0 to 7: 0 request, 2 success, 4 client error, 5 server error, 7 signalling.</summary>
    public int Class => Value >> 5;

    /// <summary>The detail, 0 to 31.</summary>
    public int Detail => Value & 0x1f;

    /// <summary>Whether this is 0.00, the code of an Empty message (RFC 7252 section 4.1).</summary>
    public bool IsEmpty => Value == 0;

    /// <summary>Whether this is a request: 0.01 to 0.31.</summary>
    public bool IsRequest => Value is > 0 and < 32;

    /// <summary>Whether this is a response: class 2, 4 or 5.</summary>
    public bool IsResponse => Class is 2 or 4 or 5;

    /// <summary>Whether this is a success response: class 2.</summary>
    public bool IsSuccess => Class == 2;

    /// <summary>Whether this is an error response: class 4 or 5.</summary>
    public bool IsError => Class is 4 or 5;

    /// <summary>Whether this is a signalling message of a stream transport: class 7 (RFC 8323 section 5).</summary>
    public bool IsSignalling => Class == 7;

    /// <summary>Whether the class is reserved on UDP: 1, 3, 6 or 7 (RFC 7252 sections 3, 4.2 and 12.1).</summary>
    public bool IsReserved => Class is 1 or 3 or 6 or 7;

    /// <summary>Whether a request with this code is safe: it requests no change (RFC 7252 section 5.1).</summary>
    public bool IsSafe => this == Get || this == Fetch;

    /// <summary>
    /// Whether a request with this code is idempotent: repeating it has the effect of one request (RFC 7252 section 5.1).
    /// </summary>
    public bool IsIdempotent => IsSafe || this == Put || this == Delete || this == IPatch;

    /// <summary>Converts a request method to its code.</summary>
    /// <param name="method">The method.</param>
    public static implicit operator CoapCode(CoapMethod method) => new((byte)method);

    /// <summary>Converts a request method to its code.</summary>
    /// <param name="method">The method.</param>
    /// <returns>The code 0.01 to 0.31.</returns>
    public static CoapCode FromCoapMethod(CoapMethod method) => method;

    /// <summary>Parses a code in the form <c>c.dd</c>, such as <c>4.04</c>.</summary>
    /// <param name="text">The text.</param>
    /// <returns>The code.</returns>
    /// <exception cref="FormatException">The text has another form.</exception>
    public static CoapCode Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Length == 4 && text[1] == '.' && text[0] is >= '0' and <= '7'
            && int.TryParse(text.AsSpan(2), NumberStyles.None, CultureInfo.InvariantCulture, out int detail) && detail < 32)
        {
            return new CoapCode(text[0] - '0', detail);
        }

        throw new FormatException($"'{text}' is not a CoAP code. Write class, dot and two digits, such as 4.04.");
    }

    /// <summary>
    /// Returns the code as in RFCs: a request by its method, such as <c>GET</c>; others in the form <c>c.dd</c> with the registered name,
    /// such as <c>4.04 Not Found</c>.
    /// </summary>
    /// <returns>The text; only the number for an unregistered code.</returns>
    public override string ToString()
    {
        string? name = Name;
        if (IsRequest && name is not null)
        {
            return name;
        }

        string number = string.Create(CultureInfo.InvariantCulture, $"{Class}.{Detail:00}");
        return name is null ? number : $"{number} {name}";
    }

    private static byte Compose(int codeClass, int detail)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(codeClass);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(codeClass, 7);
        ArgumentOutOfRangeException.ThrowIfNegative(detail);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(detail, 31);
        return (byte)((codeClass << 5) | detail);
    }

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
