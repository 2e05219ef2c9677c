using CoAP.NET.Options;

namespace CoAP.NET.Caching;

/// <summary>A stored response: a private copy. Immutable.</summary>
internal sealed class StoredResponse
{
    // Object headers, tables and array headers of a message and its options, roughly.
    private const int Overhead = 250;

    private readonly CoapMessage _message;
    private readonly CoapAddress _remote;
    private readonly long _receivedAt;
    private readonly uint _maxAge;

    public StoredResponse(CoapResponse response, long now)
    {
        CoapMessage original = response.Message;
        _message = new CoapMessage(original.Code, original.OptionsToRead?.Registry)
        {
            Type = original.Type,
            Payload = original.Payload.ToArray()
        };
        _remote = response.Remote;
        _receivedAt = now;
        _maxAge = CacheRules.MaxAgeOf(original);
        AddKept(_message.Options, original.OptionsToRead, static (registry, number) =>
            registry.StoringOf(number) == OptionCachingInResponses.Keep);
        Tag = CacheRules.TagOf(_message);
        Size = SizeOf(_message);
    }

    private StoredResponse(CoapMessage message, CoapAddress remote, long now, uint maxAge)
    {
        _message = message;
        _remote = remote;
        _receivedAt = now;
        _maxAge = maxAge;
        Tag = CacheRules.TagOf(message);
        Size = SizeOf(message);
    }

    /// <summary>The entity-tag; null when there is none, so that the response cannot be validated.</summary>
    public ETagOption? Tag { get; }

    /// <summary>About how many bytes it takes.</summary>
    public int Size { get; }

    /// <summary>When it gets stale by itself, in units of 100 ns.</summary>
    public long FreshUntil => _receivedAt + (_maxAge * TimeSpan.TicksPerSecond);

    /// <summary>
    /// The response with what a 2.03 says of it: the options that are safe to forward are replaced, number by number, and Max-Age too, by
    /// 60 s when the 2.03 does not say (RFC 7252 sections 5.6.2 and 5.9.1.3).
    /// </summary>
    public StoredResponse RefreshedBy(CoapMessage valid, long now)
    {
        CoapMessage message = new(_message.Code, _message.Options.Registry) { Type = _message.Type, Payload = _message.Payload };
        AddKept(message.Options, _message.Options,
            (_, number) => OptionNumber.IsUnsafe(number) || valid.OptionsToRead?.Contains(number) != true);
        AddKept(message.Options, valid.OptionsToRead, static (registry, number) =>
            registry.StoringOf(number) == OptionCachingInResponses.Keep && !OptionNumber.IsUnsafe(number));
        return new StoredResponse(message, _remote, now, CacheRules.MaxAgeOf(valid));
    }

    /// <summary>
    /// A response to deliver: options of its own, with what is left of Max-Age (RFC 7252 section 5.7.1), and the stored payload.
    /// </summary>
    public CoapResponse ToResponse(long now)
    {
        long age = Math.Max(0, now - _receivedAt);

        // Round up to whole seconds: a receiver of the response must not keep it longer than this cache may.
        long seconds = (age + TimeSpan.TicksPerSecond - 1) / TimeSpan.TicksPerSecond;
        CoapMessage message = new(_message.Code, _message.Options.Registry) { Type = _message.Type, Payload = _message.Payload };
        message.Options.AddAll(_message.Options);
        message.Options.AddUInt(OptionNumber.MaxAge, (uint)Math.Max(0, _maxAge - seconds));
        return new CoapResponse(message, _remote) { CachedAge = age };
    }

    // Max-Age is kept apart, because it counts down.
    private static void AddKept(CoapOptionCollection to, CoapOptionCollection? from, Func<CoapOptionRegistry, int, bool> isKept)
    {
        for (int i = 0; i < (from?.Count ?? 0); i++)
        {
            if (isKept(from!.Registry, from.NumberAt(i)))
            {
                to.Add(from.NumberAt(i), from.ValueAt(i));
            }
        }
    }

    private static int SizeOf(CoapMessage message)
    {
        long size = Overhead + message.SizeBound;
        return (int)Math.Min(size, int.MaxValue);
    }
}
