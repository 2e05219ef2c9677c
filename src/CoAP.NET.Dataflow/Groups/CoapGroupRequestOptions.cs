namespace CoAP.NET;

/// <summary>
/// How a request is sent to a group and which answers are taken (RFC 7252 section 8). For how long, says <see cref="CoapRequest.Timeout"/>.
/// </summary>
public sealed class CoapGroupRequestOptions
{
    /// <summary>
    /// The interface to send by, by name such as <c>eth0</c>, or by index. Default null: the zone of the URI, such as
    /// <c>coap://[ff02::fd%25eth0]</c>, otherwise what the routes of the system say.
    /// </summary>
    public string? Interface { get; init; }

    /// <summary>
    /// How many hops the request may go (TTL of IPv4, hop limit of IPv6). Default null: the operating system's, which is 1, so that it
    /// stays on the link. 1 to 255.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 255.</exception>
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

    /// <summary>
    /// How many members are told apart, and how many answers may wait to be read. Default 1,000; 1 to 1,000,000. Further ones are dropped,
    /// counted as <see cref="CoapCounter.GroupResponsesDropped"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 1,000,000.</exception>
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

    /// <summary>
    /// Whether further answers of a member that answered already are given as well. Default false: only the first of each, others are
    /// counted as <see cref="CoapCounter.RepeatedGroupResponses"/>. Copies of one answer are never given.
    /// </summary>
    public bool IncludeRepeated { get; init; }

    /// <summary>
    /// Whether an answer that is only the first block of a representation is completed: by a request to the member alone, for GET and FETCH
    /// (RFC 7959 section 2.8). Default true.
    /// </summary>
    public bool FetchWhole { get; init; } = true;
}
