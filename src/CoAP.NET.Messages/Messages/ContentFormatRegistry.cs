using System.Collections.Frozen;

namespace CoAP.NET.Messages;

/// <summary>
/// The IANA CoAP Content-Formats registry: numbers, media types with their parameters, and content codings (RFC 7252 section 12.3).
/// </summary>
internal static class ContentFormatRegistry
{
    private static readonly Entry[] s_entries =
    [
        new(0, "text/plain;charset=utf-8"),
        new(16, "application/cose;cose-type=\"cose-encrypt0\""),
        new(17, "application/cose;cose-type=\"cose-mac0\""),
        new(18, "application/cose;cose-type=\"cose-sign1\""),
        new(19, "application/ace+cbor"),
        new(21, "image/gif"),
        new(22, "image/jpeg"),
        new(23, "image/png"),
        new(40, "application/link-format"),
        new(41, "application/xml"),
        new(42, "application/octet-stream"),
        new(47, "application/exi"),
        new(50, "application/json"),
        new(51, "application/json-patch+json"),
        new(52, "application/merge-patch+json"),
        new(60, "application/cbor"),
        new(61, "application/cwt"),
        new(62, "application/multipart-core"),
        new(63, "application/cbor-seq"),
        new(64, "application/edhoc+cbor-seq"),
        new(65, "application/cid-edhoc+cbor-seq"),
        new(96, "application/cose;cose-type=\"cose-encrypt\""),
        new(97, "application/cose;cose-type=\"cose-mac\""),
        new(98, "application/cose;cose-type=\"cose-sign\""),
        new(101, "application/cose-key"),
        new(102, "application/cose-key-set"),
        new(110, "application/senml+json"),
        new(111, "application/sensml+json"),
        new(112, "application/senml+cbor"),
        new(113, "application/sensml+cbor"),
        new(114, "application/senml-exi"),
        new(115, "application/sensml-exi"),
        new(140, "application/yang-data+cbor;id=sid"),
        new(256, "application/coap-group+json"),
        new(257, "application/concise-problem-details+cbor"),
        new(271, "application/dots+cbor"),
        new(272, "application/missing-blocks+cbor-seq"),
        new(280, "application/pkcs7-mime;smime-type=server-generated-key"),
        new(281, "application/pkcs7-mime;smime-type=certs-only"),
        new(284, "application/pkcs8"),
        new(285, "application/csrattrs"),
        new(286, "application/pkcs10"),
        new(287, "application/pkix-cert"),
        new(290, "application/aif+cbor"),
        new(291, "application/aif+json"),
        new(310, "application/senml+xml"),
        new(311, "application/sensml+xml"),
        new(320, "application/senml-etch+json"),
        new(322, "application/senml-etch+cbor"),
        new(340, "application/yang-data+cbor"),
        new(341, "application/yang-data+cbor;id=name"),
        new(432, "application/td+json"),
        new(10000, "application/vnd.ocf+cbor"),
        new(10001, "application/oscore"),
        new(11050, "application/json", "deflate"),
        new(11060, "application/cbor", "deflate"),
        new(11542, "application/vnd.oma.lwm2m+tlv"),
        new(11543, "application/vnd.oma.lwm2m+json"),
        new(11544, "application/vnd.oma.lwm2m+cbor"),
        new(20000, "text/css"),
        new(30000, "image/svg+xml"),
    ];

    private static readonly FrozenDictionary<ushort, Entry> s_byNumber = s_entries.ToFrozenDictionary(entry => entry.Number);

    private static readonly FrozenDictionary<(string, string?), Entry> s_byMediaType =
        s_entries.ToFrozenDictionary(entry => (MediaTypeNormalizer.Normalize(entry.MediaType)!, entry.Coding));

    /// <summary>The known numbers, ascending.</summary>
    public static IEnumerable<ushort> Numbers => s_entries.Select(entry => entry.Number);

    public static IReadOnlyList<CoapContentFormat> Formats { get; } =
    Array.AsReadOnly([.. s_entries.Select(entry => new CoapContentFormat(entry.Number))]);

    public static Entry? Find(ushort number) => s_byNumber.GetValueOrDefault(number);

    public static Entry? Find(string mediaType, string? coding) =>
        MediaTypeNormalizer.Normalize(mediaType) is { } normal ? s_byMediaType.GetValueOrDefault((normal, coding)) : null;

    internal sealed record Entry(ushort Number, string MediaType, string? Coding = null);
}
