using CoAP.NET.Options;

namespace CoAP.NET.Caching;

/// <summary>The rules for storing and using responses (RFC 7252 sections 5.4.2, 5.6 and 5.9).</summary>
internal static class CacheRules
{
    /// <summary>How much of the cache a request may use.</summary>
    public static CacheAccessLevel UseOf(CoapMessage request, CoapOptionRegistry registry)
    {
        CacheAccessLevel use = request.Code.IsSafe ? CacheAccessLevel.Full : CacheAccessLevel.None;
        if (use == CacheAccessLevel.None || request.OptionsToRead is not { } options)
        {
            return use;
        }

        for (int i = 0; i < options.Count; i++)
        {
            int number = options.NumberAt(i);
            switch (registry.CachingOf(number))
            {
                case OptionCachingInRequests.Bypass:
                    return CacheAccessLevel.None;

                // An unsafe option may mean anything, such as that no two answers are alike.
                case OptionCachingInRequests.ByNumber when OptionNumber.IsUnsafe(number):
                    return CacheAccessLevel.None;

                case OptionCachingInRequests.StoreOnly:
                    use = CacheAccessLevel.StoreOnly;
                    break;

                default:
                    break;
            }
        }

        return use;
    }

    /// <summary>
    /// Whether an option is part of the key beside the URI: not those of the URI, nor what the cache itself understands, nor those that are
    /// no cache key.
    /// </summary>
    public static bool IsInKey(CoapOptionRegistry registry, int number) =>
        !OptionNumber.NamesResource(number) && registry.CachingOf(number) != OptionCachingInRequests.StoreOnly
            && registry.IsInCacheKey(number);

    /// <summary>
    /// Whether a response may be stored: by its code, and because it is whole and has no option that forbids it (RFC 7252 section 5.9).
    /// </summary>
    // A request with more hops may reach the server where this one did not (RFC 8768 section 3).
    public static bool CanStore(CoapMessage response) =>
        (response.Code == CoapCode.Content || response.Code.IsError)
        && response.Code != CoapCode.HopLimitReached
        && MaxAgeOf(response) > 0
        && (response.OptionsToRead is not { } options || IsWholeAndSafe(options, response.Code));

    // No part of a body, no challenge to this one request (RFC 9175 section 2.2), no unsafe option that a cache knows nothing of.
    private static bool IsWholeAndSafe(CoapOptionCollection options, CoapCode code)
    {
        for (int i = 0; i < options.Count; i++)
        {
            int number = options.NumberAt(i);
            bool isFine = number switch
            {
                OptionNumber.Block2 or OptionNumber.QBlock2 => IsWhole(options.ValueAt(i)),
                OptionNumber.Echo => code != CoapCode.Unauthorized,
                _ => options.Registry.StoringOf(number) != OptionCachingInResponses.Forbid,
            };
            if (!isFine)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>How long the response is fresh, in seconds; 60 when it does not say (RFC 7252 section 5.10.5).</summary>
    public static uint MaxAgeOf(CoapMessage response) =>
        response.OptionsToRead is { } options && options.TryGetUInt(OptionNumber.MaxAge, out uint seconds)
            ? seconds
            : (uint)MaxAgeOption.Default.TotalSeconds;

    /// <summary>The entity-tag of a response; null when it has none.</summary>
    public static ETagOption? TagOf(CoapMessage response) => response.OptionsToRead?.ETag is { } tag ? new ETagOption(tag.ToArray()) : null;

    private static bool IsWhole(ReadOnlySpan<byte> block) =>
        OptionData.TryReadUInt(block, out uint value) && BlockValue.FromUInt32(value) is { Number: 0, More: false };
}
