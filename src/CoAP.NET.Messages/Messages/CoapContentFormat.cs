using System.Globalization;

namespace CoAP.NET;

/// <summary>A Content-Format: the number of an Internet media type with a content coding (RFC 7252 section 12.3).</summary>
/// <remarks>Any number is valid; the known ones are static members. 0 is a valid format: use a nullable for "not set".</remarks>
/// <example>
/// <code>
/// CoapRequest request = new(CoapMethod.Get, "coap://[::1]/temperature")
/// {
///     Accept = CoapContentFormat.Json,
/// };
/// CoapResponse response = await client.SendAsync(request, cancellationToken);
/// bool isJson = response.ContentFormat == CoapContentFormat.Json;
/// </code>
/// </example>
public readonly record struct CoapContentFormat
{
    /// <summary>Creates it from its number.</summary>
    /// <param name="value">The number, 0 to 65,535.</param>
    public CoapContentFormat(ushort value) => Value = value;

    /// <summary>The number, 0 to 65,535.</summary>
    public ushort Value { get; }

    /// <summary>The registered media type with its parameters; null for an unknown number.</summary>
    public string? MediaType => ContentFormatRegistry.Find(Value)?.MediaType;

    /// <summary>The registered content coding, such as <c>deflate</c>; null for none, and for an unknown number.</summary>
    public string? ContentCoding => ContentFormatRegistry.Find(Value)?.Coding;

    /// <summary>
    /// Whether the format is plain JSON: <c>application/json</c> or a media type that ends in <c>+json</c>, without a content coding.
    /// </summary>
    public bool IsJson => ContentFormatRegistry.Find(Value) is { Coding: null } entry
        && (entry.MediaType == "application/json" || entry.MediaType.EndsWith("+json", StringComparison.Ordinal));

    /// <summary>
    /// Whether the format is one plain CBOR item: <c>application/cbor</c> or a media type that ends in <c>+cbor</c>, without a content
    /// coding.
    /// </summary>
    public bool IsCbor => ContentFormatRegistry.Find(Value) is { Coding: null } entry
        && (entry.MediaType == "application/cbor" || entry.MediaType.EndsWith("+cbor", StringComparison.Ordinal));

    /// <summary>The Content-Formats of the IANA registry that this library knows, in numerical order.</summary>
    public static IReadOnlyList<CoapContentFormat> Registered => ContentFormatRegistry.Formats;

    /// <summary>Creates a Content-Format from any number.</summary>
    /// <param name="value">The number.</param>
    public static explicit operator CoapContentFormat(int value) => FromInt32(value);

    /// <summary>Creates a Content-Format from any number.</summary>
    /// <param name="value">The number, 0 to 65,535.</param>
    /// <returns>The Content-Format.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public static CoapContentFormat FromInt32(int value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
        return new CoapContentFormat((ushort)value);
    }

    /// <summary>Finds the number of a media type.</summary>
    /// <remarks>
    /// It ignores case, white space, quotes and the order of parameters, but not the parameters themselves: <c>text/plain</c> without its
    /// charset is not 0.
    /// </remarks>
    /// <param name="mediaType">The media type with its parameters, such as <c>text/plain; charset=UTF-8</c>.</param>
    /// <param name="format">The Content-Format.</param>
    /// <param name="contentCoding">The content coding, such as <c>deflate</c>; null or <c>identity</c> for none.</param>
    /// <returns>Whether the registry of this library has a number for both.</returns>
    public static bool TryFromMediaType(string? mediaType, out CoapContentFormat format, string? contentCoding = null)
    {
        string? coding = contentCoding is null || contentCoding.Equals("identity", StringComparison.OrdinalIgnoreCase)
            ? null
            : AsciiText.ToLower(contentCoding);
        ContentFormatRegistry.Entry? entry = mediaType is null ? null : ContentFormatRegistry.Find(mediaType, coding);
        format = new CoapContentFormat(entry?.Number ?? 0);
        return entry is not null;
    }

    /// <summary>Returns the media type if it is known, otherwise the number.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        ContentCoding is { } coding ? $"{MediaType} ({coding})" : MediaType ?? Value.ToString(CultureInfo.InvariantCulture);

    /// <summary>0: <c>text/plain;charset=utf-8</c> (RFC 7252).</summary>
    public static CoapContentFormat TextPlain => new(0);

    /// <summary>16: <c>application/cose;cose-type=&quot;cose-encrypt0&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseEncrypt0 => new(16);

    /// <summary>17: <c>application/cose;cose-type=&quot;cose-mac0&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseMac0 => new(17);

    /// <summary>18: <c>application/cose;cose-type=&quot;cose-sign1&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseSign1 => new(18);

    /// <summary>19: <c>application/ace+cbor</c> (RFC 9200).</summary>
    public static CoapContentFormat AceCbor => new(19);

    /// <summary>21: <c>image/gif</c> (IANA registry).</summary>
    public static CoapContentFormat Gif => new(21);

    /// <summary>22: <c>image/jpeg</c> (IANA registry).</summary>
    public static CoapContentFormat Jpeg => new(22);

    /// <summary>23: <c>image/png</c> (IANA registry).</summary>
    public static CoapContentFormat Png => new(23);

    /// <summary>40: <c>application/link-format</c> (RFC 6690).</summary>
    public static CoapContentFormat LinkFormat => new(40);

    /// <summary>41: <c>application/xml</c> (RFC 7252).</summary>
    public static CoapContentFormat Xml => new(41);

    /// <summary>42: <c>application/octet-stream</c> (RFC 7252).</summary>
    public static CoapContentFormat OctetStream => new(42);

    /// <summary>47: <c>application/exi</c> (RFC 7252).</summary>
    public static CoapContentFormat Exi => new(47);

    /// <summary>50: <c>application/json</c> (RFC 7252).</summary>
    public static CoapContentFormat Json => new(50);

    /// <summary>51: <c>application/json-patch+json</c> (RFC 6902).</summary>
    public static CoapContentFormat JsonPatch => new(51);

    /// <summary>
    /// 52: <c>application/merge-patch+json</c> (RFC 7396); <c>CoapMergePatch</c> of the package CoAP.NET.Content applies it.
    /// </summary>
    public static CoapContentFormat MergePatch => new(52);

    /// <summary>60: <c>application/cbor</c> (RFC 8949); the package CoAP.NET.Content reads and writes values.</summary>
    public static CoapContentFormat Cbor => new(60);

    /// <summary>61: <c>application/cwt</c> (RFC 8392).</summary>
    public static CoapContentFormat Cwt => new(61);

    /// <summary>62: <c>application/multipart-core</c> (RFC 8710).</summary>
    public static CoapContentFormat MultipartCore => new(62);

    /// <summary>63: <c>application/cbor-seq</c> (RFC 8742).</summary>
    public static CoapContentFormat CborSequence => new(63);

    /// <summary>64: <c>application/edhoc+cbor-seq</c> (RFC 9528).</summary>
    public static CoapContentFormat EdhocCborSequence => new(64);

    /// <summary>65: <c>application/cid-edhoc+cbor-seq</c> (RFC 9528).</summary>
    public static CoapContentFormat CidEdhocCborSequence => new(65);

    /// <summary>96: <c>application/cose;cose-type=&quot;cose-encrypt&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseEncrypt => new(96);

    /// <summary>97: <c>application/cose;cose-type=&quot;cose-mac&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseMac => new(97);

    /// <summary>98: <c>application/cose;cose-type=&quot;cose-sign&quot;</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseSign => new(98);

    /// <summary>101: <c>application/cose-key</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseKey => new(101);

    /// <summary>102: <c>application/cose-key-set</c> (RFC 9052).</summary>
    public static CoapContentFormat CoseKeySet => new(102);

    /// <summary>110: <c>application/senml+json</c> (RFC 8428); package CoAP.NET.Content, <c>CoapSenmlPack</c>.</summary>
    public static CoapContentFormat SenmlJson => new(110);

    /// <summary>111: <c>application/sensml+json</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlJson => new(111);

    /// <summary>112: <c>application/senml+cbor</c> (RFC 8428); package CoAP.NET.Content, <c>CoapSenmlPack</c>.</summary>
    public static CoapContentFormat SenmlCbor => new(112);

    /// <summary>113: <c>application/sensml+cbor</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlCbor => new(113);

    /// <summary>114: <c>application/senml-exi</c> (RFC 8428).</summary>
    public static CoapContentFormat SenmlExi => new(114);

    /// <summary>115: <c>application/sensml-exi</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlExi => new(115);

    /// <summary>140: <c>application/yang-data+cbor;id=sid</c> (RFC 9254).</summary>
    public static CoapContentFormat YangDataCborSid => new(140);

    /// <summary>256: <c>application/coap-group+json</c> (RFC 7390).</summary>
    public static CoapContentFormat CoapGroupJson => new(256);

    /// <summary>257: <c>application/concise-problem-details+cbor</c> (RFC 9290); package CoAP.NET.Content, <c>CoapProblem</c>.</summary>
    public static CoapContentFormat ConciseProblemDetails => new(257);

    /// <summary>271: <c>application/dots+cbor</c> (RFC 9132).</summary>
    public static CoapContentFormat DotsCbor => new(271);

    /// <summary>272: <c>application/missing-blocks+cbor-seq</c> (RFC 9177).</summary>
    public static CoapContentFormat MissingBlockList => new(272);

    /// <summary>280: <c>application/pkcs7-mime;smime-type=server-generated-key</c> (RFC 9148).</summary>
    public static CoapContentFormat Pkcs7ServerGeneratedKey => new(280);

    /// <summary>281: <c>application/pkcs7-mime;smime-type=certs-only</c> (RFC 9148).</summary>
    public static CoapContentFormat Pkcs7CertsOnly => new(281);

    /// <summary>284: <c>application/pkcs8</c> (RFC 9148).</summary>
    public static CoapContentFormat Pkcs8 => new(284);

    /// <summary>285: <c>application/csrattrs</c> (RFC 9148).</summary>
    public static CoapContentFormat CsrAttrs => new(285);

    /// <summary>286: <c>application/pkcs10</c> (RFC 9148).</summary>
    public static CoapContentFormat Pkcs10 => new(286);

    /// <summary>287: <c>application/pkix-cert</c> (RFC 9148).</summary>
    public static CoapContentFormat PkixCert => new(287);

    /// <summary>290: <c>application/aif+cbor</c> (RFC 9237).</summary>
    public static CoapContentFormat AifCbor => new(290);

    /// <summary>291: <c>application/aif+json</c> (RFC 9237).</summary>
    public static CoapContentFormat AifJson => new(291);

    /// <summary>310: <c>application/senml+xml</c> (RFC 8428).</summary>
    public static CoapContentFormat SenmlXml => new(310);

    /// <summary>311: <c>application/sensml+xml</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlXml => new(311);

    /// <summary>320: <c>application/senml-etch+json</c> (RFC 8790).</summary>
    public static CoapContentFormat SenmlEtchJson => new(320);

    /// <summary>322: <c>application/senml-etch+cbor</c> (RFC 8790).</summary>
    public static CoapContentFormat SenmlEtchCbor => new(322);

    /// <summary>340: <c>application/yang-data+cbor</c> (RFC 9254).</summary>
    public static CoapContentFormat YangDataCbor => new(340);

    /// <summary>341: <c>application/yang-data+cbor;id=name</c> (RFC 9254).</summary>
    public static CoapContentFormat YangDataCborName => new(341);

    /// <summary>432: <c>application/td+json</c> (W3C Thing Description).</summary>
    public static CoapContentFormat TdJson => new(432);

    /// <summary>10000: <c>application/vnd.ocf+cbor</c> (Open Connectivity Foundation).</summary>
    public static CoapContentFormat OcfCbor => new(10000);

    /// <summary>10001: <c>application/oscore</c> (RFC 8613).</summary>
    public static CoapContentFormat Oscore => new(10001);

    /// <summary>11050: <c>application/json</c> in the coding <c>deflate</c> (RFC 7252).</summary>
    public static CoapContentFormat JsonDeflate => new(11050);

    /// <summary>11060: <c>application/cbor</c> in the coding <c>deflate</c> (RFC 8949).</summary>
    public static CoapContentFormat CborDeflate => new(11060);

    /// <summary>11542: <c>application/vnd.oma.lwm2m+tlv</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mTlv => new(11542);

    /// <summary>11543: <c>application/vnd.oma.lwm2m+json</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mJson => new(11543);

    /// <summary>11544: <c>application/vnd.oma.lwm2m+cbor</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mCbor => new(11544);

    /// <summary>20000: <c>text/css</c> (IANA registry).</summary>
    public static CoapContentFormat Css => new(20000);

    /// <summary>30000: <c>image/svg+xml</c> (IANA registry).</summary>
    public static CoapContentFormat Svg => new(30000);
}
