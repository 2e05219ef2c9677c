using CoAP.NET.Options;

namespace CoAP.NET.Caching;

/// <summary>The rules for storing and using responses (RFC 7252 sections 5.4.2, 5.6 and 5.9).</summary>
internal static class CacheRules
{
    /// <summary>How much of the cache a request may use.</summary>
    public static CacheUse UseOf(CoapMessage request)
    {
        CacheUse use = request.Code.IsSafe ? CacheUse.Full : CacheUse.None;
        if (use == CacheUse.None || request.OptionsToRead is not { } options)
        {
            return use;
        }

        for (int i = 0; i < options.Count; i++)
        {
            switch (options.NumberAt(i))
            {
                // The answer belongs to this request alone: a condition, a part of a body, a protected message, a silence that was asked
                // for.
                case OptionNumber.IfMatch or OptionNumber.IfNoneMatch or OptionNumber.Block1 or OptionNumber.Block2 or OptionNumber.QBlock1
                    or OptionNumber.QBlock2 or OptionNumber.Oscore or OptionNumber.Edhoc or OptionNumber.NoResponse:
                    return CacheUse.None;

                // A request with tags does its own validation; an observation must reach the server.
                case OptionNumber.ETag or OptionNumber.Observe:
                    use = CacheUse.StoreOnly;
                    break;

                case OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.UriPath or OptionNumber.UriQuery or OptionNumber.ProxyUri
                    or OptionNumber.ProxyScheme:
                    break;

                // An unsafe option may mean anything, such as that no two answers are alike.
                case int number when OptionNumber.IsUnsafe(number):
                    return CacheUse.None;

                default:
                    break;
            }
        }

        return use;
    }

    /// <summary>
    /// Whether an option stands in the key beside the URI: not those of the URI, nor what the cache itself understands, nor those that are
    /// no cache key.
    /// </summary>
    public static bool IsInKey(int number) => number switch
    {
        OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.UriPath or OptionNumber.UriQuery or OptionNumber.ProxyUri
            or OptionNumber.ProxyScheme => false,
        OptionNumber.ETag or OptionNumber.Observe => false,

        // The remaining hops of a request do not affect the resource; 5.08 is an exception and not stored (RFC 8768 section 3).
        OptionNumber.HopLimit => false,
        _ => !OptionNumber.IsNoCacheKey(number),
    };

    /// <summary>
    /// Whether a response may be stored: by its code, and because it is whole and has no option that forbids it (RFC 7252 section 5.9).
    /// </summary>
    public static bool CanStore(CoapMessage response) =>
        (response.Code == CoapCode.Content || response.Code.IsError)
        && response.Code != CoapCode.HopLimitReached
        && MaxAgeOf(response) > 0
        && (response.OptionsToRead is not { } options || IsWholeAndSafe(options, response.Code));

    /// <summary>Whether an option of a response is stored with it; Max-Age is kept apart, as it counts down.</summary>
    public static bool IsKept(int number) =>
        number is not (OptionNumber.MaxAge or OptionNumber.Observe or OptionNumber.Echo or OptionNumber.Block2 or OptionNumber.QBlock2);

    // No part of a body, no challenge to this one request (RFC 9175 section 2.2), no unsafe option that a cache knows nothing of.
    private static bool IsWholeAndSafe(CoapOptionCollection options, CoapCode code)
    {

        for (int i = 0; i < options.Count; i++)
        {
            int number = options.NumberAt(i);
            bool isFine = number switch
            {
                OptionNumber.MaxAge or OptionNumber.Observe => true,
                OptionNumber.Block2 or OptionNumber.QBlock2 => IsWhole(options.ValueAt(i)),
                OptionNumber.Block1 or OptionNumber.QBlock1 or OptionNumber.Oscore => false,
                OptionNumber.Echo => code != CoapCode.Unauthorized,
                _ => !OptionNumber.IsUnsafe(number),
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
            : (uint)MaxAge.Default.TotalSeconds;

    /// <summary>The entity-tag of a response; null when it has none.</summary>
    public static ETag? TagOf(CoapMessage response) => response.OptionsToRead?.ETag is { } tag ? new ETag(tag.Span) : null;

    private static bool IsWhole(ReadOnlySpan<byte> block) =>
        OptionData.TryReadUInt(block, out uint value) && BlockValue.FromUInt32(value) is { Number: 0, More: false };
}
