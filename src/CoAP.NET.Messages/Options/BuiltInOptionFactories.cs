namespace CoAP.NET.Options;

/// <summary>The factories of every option class in this folder.</summary>
internal static class BuiltInOptionFactories
{
    internal static IOptionFactory[] CreateFactories() =>
    [
        new OptionFactory<IfMatchOption>(),
        new OptionFactory<UriHostOption>(),
        new OptionFactory<ETagOption>(),
        new OptionFactory<IfNoneMatchOption>(),
        new OptionFactory<ObserveOption>(),
        new OptionFactory<UriPortOption>(),
        new OptionFactory<LocationPathOption>(),
        new OptionFactory<OscoreOption>(),
        new OptionFactory<UriPathOption>(),
        new OptionFactory<ContentFormatOption>(),
        new OptionFactory<MaxAgeOption>(),
        new OptionFactory<UriQueryOption>(),
        new OptionFactory<HopLimitOption>(),
        new OptionFactory<AcceptOption>(),
        new OptionFactory<QBlock1Option>(),
        new OptionFactory<LocationQueryOption>(),
        new OptionFactory<EdhocOption>(),
        new OptionFactory<Block2Option>(),
        new OptionFactory<Block1Option>(),
        new OptionFactory<Size2Option>(),
        new OptionFactory<QBlock2Option>(),
        new OptionFactory<ProxyUriOption>(),
        new OptionFactory<ProxySchemeOption>(),
        new OptionFactory<Size1Option>(),
        new OptionFactory<EchoOption>(),
        new OptionFactory<NoResponseOption>(),
        new OptionFactory<RequestTagOption>(),

        // Options of signalling messages (RFC 8323 section 5, RFC 8974 section 2.2.1)
        new OptionFactory<MaxMessageSizeOption>(),
        new OptionFactory<BlockWiseTransferOption>(),
        new OptionFactory<ExtendedTokenLengthOption>(),
        new OptionFactory<CustodyOption>(),
        new OptionFactory<AlternativeAddressOption>(),
        new OptionFactory<HoldOffOption>(),
        new OptionFactory<BadCsmOption>(),
    ];
}
