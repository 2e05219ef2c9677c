namespace CoAP.NET.ResourceDirectory;

/// <summary>The options for finding and querying a resource directory (RFC 9176).</summary>
/// <remarks>Immutable.</remarks>
public sealed class CoapDirectoryClientOptions
{
    internal static CoapDirectoryClientOptions Default { get; } = new();

    /// <summary>The timeout of the search, and later of each page of a lookup.</summary>
    /// <remarks>Default 30 s. For a group it is the time to wait for a first response of its members.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not above zero, or longer than a day.</exception>
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

    /// <summary>The interface and the hop limit of group requests.</summary>
    /// <remarks>Default null: the routes of the system, on the local link.</remarks>
    public CoapGroupRequestOptions? Group { get; init; }

    /// <summary>
    /// The maximum number of results of one lookup; more cause a <see cref="CoapDirectoryException"/>, so that a directory cannot fill the
    /// memory or send pages forever.
    /// </summary>
    /// <remarks>Default 100,000; 1 to 10,000,000.</remarks>
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
