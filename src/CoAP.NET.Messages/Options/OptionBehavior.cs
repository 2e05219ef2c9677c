namespace CoAP.NET.Options;

/// <summary>
/// What the library does with an option: what its definition declares, otherwise what its number says (RFC 7252 section 5.4.6).
/// </summary>
internal static class OptionBehavior
{
    /// <summary>Returns what a cache does with a request that has an option.</summary>
    public static OptionCachingInRequests CachingOf(this CoapOptionRegistry registry, int number) =>
        registry.FindDefinition(number)?.Caching ?? OptionCachingInRequests.ByNumber;

    /// <summary>Returns whether an option is part of the cache key of a request.</summary>
    public static bool IsInCacheKey(this CoapOptionRegistry registry, int number) => registry.CachingOf(number) switch
    {
        OptionCachingInRequests.Key => true,
        OptionCachingInRequests.NoKey => false,
        _ => !OptionNumber.IsNoCacheKey(number),
    };

    /// <summary>
    /// Returns what a cache does with a response that has an option; never <see cref="OptionCachingInResponses.ByNumber"/>.
    /// </summary>
    public static OptionCachingInResponses StoringOf(this CoapOptionRegistry registry, int number) =>
        registry.FindDefinition(number)?.Storing is { } storing and not OptionCachingInResponses.ByNumber ? storing
            : OptionNumber.IsUnsafe(number) ? OptionCachingInResponses.Forbid
            : OptionCachingInResponses.Keep;

    /// <summary>Returns whether the blocks of one body have the same value of an option.</summary>
    public static bool IsInBodyKey(this CoapOptionRegistry registry, int number) =>
        registry.FindDefinition(number)?.IsInBodyKey ?? !OptionNumber.IsNoCacheKey(number);

    /// <summary>Returns what a proxy does with an option of a request; never <see cref="OptionForwarding.ByNumber"/>.</summary>
    public static OptionForwarding ForwardingInRequest(this CoapOptionRegistry registry, int number) =>
        Resolve(registry.FindDefinition(number)?.ForwardingInRequest, number);

    /// <summary>Returns what a proxy does with an option of a response; never <see cref="OptionForwarding.ByNumber"/>.</summary>
    public static OptionForwarding ForwardingInResponse(this CoapOptionRegistry registry, int number) =>
        Resolve(registry.FindDefinition(number)?.ForwardingInResponse, number);

    /// <summary>
    /// Returns a definition for a number of this library with what this library declares where the definition declares nothing.
    /// </summary>
    /// <param name="given">The definition of a user.</param>
    /// <param name="ours">The definition of this library for the same number; null for none.</param>
    public static OptionDefinition Complete(OptionDefinition given, OptionDefinition? ours) =>
        ours is null || ReferenceEquals(given, ours) ? given : new OptionDefinition(
            given.Number, given.Name, given.Format, given.MinLength, given.MaxLength, given.IsRepeatable, given.Use)
        {
            SignallingCode = given.SignallingCode,
            SecondSignallingCode = given.SecondSignallingCode,
            Protection = given.Protection,
            IsUnsupported = given.IsUnsupported,
            IsValid = given.IsValid ?? ours.IsValid,
            ValidValues = given.IsValid is null ? ours.ValidValues : given.ValidValues,
            RefusesInvalid = given.RefusesInvalid || (given.IsValid is null && ours.RefusesInvalid),
            Methods = given.Methods ?? ours.Methods,
            IsSingleInResponse = given.IsSingleInResponse || ours.IsSingleInResponse,
            Caching = given.Caching == OptionCachingInRequests.ByNumber ? ours.Caching : given.Caching,
            Storing = given.Storing == OptionCachingInResponses.ByNumber ? ours.Storing : given.Storing,
            IsInBodyKey = given.IsInBodyKey ?? ours.IsInBodyKey,
            ForwardingInRequest = given.ForwardingInRequest == OptionForwarding.ByNumber ? ours.ForwardingInRequest
                : given.ForwardingInRequest,
            ForwardingInResponse = given.ForwardingInResponse == OptionForwarding.ByNumber ? ours.ForwardingInResponse
                : given.ForwardingInResponse,
            Special = ours.Special,
        };

    private static OptionForwarding Resolve(OptionForwarding? declared, int number) =>
        declared is { } forwarding and not OptionForwarding.ByNumber ? forwarding
            : OptionNumber.IsUnsafe(number) ? OptionForwarding.Refuse
            : OptionForwarding.Forward;
}
