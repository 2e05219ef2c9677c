using System.Text;
using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Stores until when resources of peers must not be requested again (RFC 8516 section 4). Bounded: when it is full, it discards the entry
/// that ends first. Thread-safe.
/// </summary>
internal sealed class RetryAfterTable
{
    private const int Capacity = 1024;

    private readonly Dictionary<(CoapChannel Channel, string Resource), long> _until = [];
    private int _count;

    /// <summary>Whether the table is empty, so that no lookup is needed.</summary>
    public bool IsEmpty => Volatile.Read(ref _count) == 0;

    public void Add(OutgoingRequest request, long until, long now)
    {
        lock (_until)
        {
            if (_until.Count >= Capacity)
            {
                MakeRoom(now);
            }

            _until[(request.Channel, ResourceOf(request.Message))] = until;
            _count = _until.Count;
        }
    }

    /// <summary>Returns how long a request has to wait; zero if it need not.</summary>
    public TimeSpan WaitOf(OutgoingRequest request, long now)
    {
        (CoapChannel, string) key = (request.Channel, ResourceOf(request.Message));
        lock (_until)
        {
            if (!_until.TryGetValue(key, out long until))
            {
                return TimeSpan.Zero;
            }

            if (until > now)
            {
                return TimeSpan.FromTicks(until - now);
            }

            _until.Remove(key);
            _count = _until.Count;
            return TimeSpan.Zero;
        }
    }

    private void MakeRoom(long now)
    {
        foreach ((CoapChannel, string) over in _until.Where(item => item.Value <= now).Select(item => item.Key).ToArray())
        {
            _until.Remove(over);
        }

        if (_until.Count >= Capacity)
        {
            _until.Remove(_until.MinBy(item => item.Value).Key);
        }
    }

    // The name of the resource, independent of the method. It excludes the query, because a server counts the requests to a resource and
    // not their arguments.
    private static string ResourceOf(CoapMessage message)
    {
        StringBuilder name = new();
        CoapOptionCollection? options = message.OptionsToRead;
        for (int i = 0; i < (options?.Count ?? 0); i++)
        {
            if (options!.NumberAt(i) is OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.UriPath or OptionNumber.ProxyUri
                or OptionNumber.ProxyScheme)
            {
                ReadOnlySpan<byte> value = options.ValueAt(i);
                name.Append((char)options.NumberAt(i)).Append((char)value.Length).Append(Encoding.Latin1.GetString(value));
            }
        }

        return name.ToString();
    }
}
