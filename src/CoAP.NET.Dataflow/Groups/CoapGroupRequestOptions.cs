namespace CoAP.NET;

/// <summary>Configures the sending of a request to a group, and the accepted answers (RFC 7252 section 8).</summary>
/// <remarks><see cref="CoapRequest.Timeout"/> sets how long answers are accepted.</remarks>
public sealed class CoapGroupRequestOptions
{
    /// <summary>The interface to send from, by name such as <c>eth0</c>, or by index. Default null.</summary>
    /// <remarks>
    /// With null, the zone of the URI applies, such as <c>coap://[ff02::fd%25eth0]</c>, otherwise the routes of the system.
    /// </remarks>
    public string? Interface { get; init; }

    /// <summary>
    /// The maximum number of hops of the request (TTL of IPv4, hop limit of IPv6). Default null: that of the operating system.
    /// </summary>
    /// <remarks>The range is 1 to 255. The default of operating systems is 1, so the request stays on the link.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside 1 to 255.</exception>
    public int? HopLimit
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 1, 255, nameof(value));
            field = value;
        }
    }

    /// <summary>The maximum number of distinguished members, and of answers that wait to be read. Default 1,000.</summary>
    /// <remarks>
    /// The range is 1 to 1,000,000. The endpoint drops further answers and counts them as <c>GroupResponsesDropped</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside 1 to 1,000,000.</exception>
    public int MaxResponses
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1_000_000);
            field = value;
        }
    }
    = 1000;

    /// <summary>Whether to return further answers of a member that already answered. Default false.</summary>
    /// <remarks>
    /// By default each member has one answer; the endpoint counts others as <c>RepeatedGroupResponses</c>. Copies of one
    /// answer never appear.
    /// </remarks>
    public bool IncludeRepeated { get; init; }

    /// <summary>
    /// Whether to complete an answer that is only the first block of a representation (RFC 7959 section 2.8). Default true.
    /// </summary>
    /// <remarks>A request to the member alone fetches the rest, for GET and FETCH.</remarks>
    public bool FetchWhole { get; init; } = true;
}
