using System.Globalization;

namespace CoAP.NET;

/// <summary>The code of a message: a 3-bit class and a 5-bit detail, written <c>c.dd</c> (RFC 7252 section 3).</summary>
/// <remarks>A value, not an enumeration: an unregistered code is valid and is handled by its class.</remarks>
/// <param name="Value">The byte on the wire: class &lt;&lt; 5 | detail.</param>
public readonly partial record struct CoapCode(byte Value) : IComparable<CoapCode>
{
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

    /// <inheritdoc/>
    public int CompareTo(CoapCode other) => Value.CompareTo(other.Value);

    /// <summary>Whether the left code is smaller.</summary>
    /// <param name="left">The left code.</param>
    /// <param name="right">The right code.</param>
    public static bool operator <(CoapCode left, CoapCode right) => left.Value < right.Value;

    /// <summary>Whether the left code is larger.</summary>
    /// <param name="left">The left code.</param>
    /// <param name="right">The right code.</param>
    public static bool operator >(CoapCode left, CoapCode right) => left.Value > right.Value;

    /// <summary>Whether the left code is smaller or equal.</summary>
    /// <param name="left">The left code.</param>
    /// <param name="right">The right code.</param>
    public static bool operator <=(CoapCode left, CoapCode right) => left.Value <= right.Value;

    /// <summary>Whether the left code is larger or equal.</summary>
    /// <param name="left">The left code.</param>
    /// <param name="right">The right code.</param>
    public static bool operator >=(CoapCode left, CoapCode right) => left.Value >= right.Value;

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
}
