namespace CoAP.NET.Options;

/// <summary>The factories of every option class in this folder.</summary>
internal static class BuiltInOptionFactories
{
    internal static IOptionFactory[] CreateFactories() =>
    [
        new TypedOptionFactory<IfMatchOption>(),
        new TypedOptionFactory<UriHostOption>(),
        new TypedOptionFactory<ETagOption>(),
        new TypedOptionFactory<IfNoneMatchOption>(),
        new TypedOptionFactory<ObserveOption>(),
        new TypedOptionFactory<UriPortOption>(),
        new TypedOptionFactory<LocationPathOption>(),
        new TypedOptionFactory<OscoreOption>(),
        new TypedOptionFactory<UriPathOption>(),
        new TypedOptionFactory<ContentFormatOption>(),
        new TypedOptionFactory<MaxAgeOption>(),
        new TypedOptionFactory<UriQueryOption>(),
        new TypedOptionFactory<HopLimitOption>(),
        new TypedOptionFactory<AcceptOption>(),
        new TypedOptionFactory<QBlock1Option>(),
        new TypedOptionFactory<LocationQueryOption>(),
        new TypedOptionFactory<EdhocOption>(),
        new TypedOptionFactory<Block2Option>(),
        new TypedOptionFactory<Block1Option>(),
        new TypedOptionFactory<Size2Option>(),
        new TypedOptionFactory<QBlock2Option>(),
        new TypedOptionFactory<ProxyUriOption>(),
        new TypedOptionFactory<ProxySchemeOption>(),
        new TypedOptionFactory<Size1Option>(),
        new TypedOptionFactory<EchoOption>(),
        new TypedOptionFactory<NoResponseOption>(),
        new TypedOptionFactory<RequestTagOption>(),

        // Options of signalling messages (RFC 8323 section 5, RFC 8974 section 2.2.1)
        new TypedOptionFactory<MaxMessageSizeOption>(),
        new TypedOptionFactory<BlockWiseTransferOption>(),
        new TypedOptionFactory<ExtendedTokenLengthOption>(),
        new TypedOptionFactory<CustodyOption>(),
        new TypedOptionFactory<AlternativeAddressOption>(),
        new TypedOptionFactory<HoldOffOption>(),
        new TypedOptionFactory<BadCsmOption>(),
    ];
}
