namespace CoAP.NET;

/// <summary>How a resource directory is looked for and asked (RFC 9176). Immutable.</summary>
public sealed class CoapDirectoryClientOptions
{
    internal static CoapDirectoryClientOptions Default { get; } = new();

    /// <summary>
    /// How long the search may take, and later each page of a look-up. Default 30 s. Of a group it is the time for which its members are
    /// waited for where none of them answers.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero, or longer than a day.</exception>
    public TimeSpan Timeout
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    }
    = TimeSpan.FromSeconds(30);

    /// <summary>
    /// A name may have several addresses, not all of which answer: how long one is waited for before the next is asked as well. The first
    /// one that answers as a directory is used. Default 2 s; zero asks all at once. Over <c>coap</c>; connections have such a time of their
    /// own.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative, or longer than a day.</exception>
    public TimeSpan NextAddressAfter
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    }
    = TimeSpan.FromSeconds(2);

    /// <summary>By which interface and how far a group is asked. Default null: as the routes of the system say, on the own link.</summary>
    public CoapGroupRequestOptions? Group { get; init; }

    /// <summary>
    /// How many results one look-up gives at most; more are a <see cref="CoapDirectoryException"/>, so that a directory cannot fill the
    /// memory or page for ever. Default 100,000; 1 to 10,000,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxResults
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 10_000_000);
            field = value;
        }
    }
    = 100_000;
}
