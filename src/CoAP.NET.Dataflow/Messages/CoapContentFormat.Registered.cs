namespace CoAP.NET;

// The registered numbers that a library should know (IANA CoAP Content-Formats registry).
public readonly partial record struct CoapContentFormat
{
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

    /// <summary>52: <c>application/merge-patch+json</c> (RFC 7396).</summary>
    public static CoapContentFormat MergePatch => new(52);

    /// <summary>60: <c>application/cbor</c> (RFC 8949).</summary>
    public static CoapContentFormat Cbor => new(60);

    /// <summary>61: <c>application/cwt</c> (RFC 8392).</summary>
    public static CoapContentFormat Cwt => new(61);

    /// <summary>62: <c>application/multipart-core</c> (RFC 8710).</summary>
    public static CoapContentFormat MultipartCore => new(62);

    /// <summary>63: <c>application/cbor-seq</c> (RFC 8742).</summary>
    public static CoapContentFormat CborSequence => new(63);

    /// <summary>110: <c>application/senml+json</c> (RFC 8428).</summary>
    public static CoapContentFormat SenmlJson => new(110);

    /// <summary>111: <c>application/sensml+json</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlJson => new(111);

    /// <summary>112: <c>application/senml+cbor</c> (RFC 8428).</summary>
    public static CoapContentFormat SenmlCbor => new(112);

    /// <summary>113: <c>application/sensml+cbor</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlCbor => new(113);

    /// <summary>257: <c>application/concise-problem-details+cbor</c> (RFC 9290).</summary>
    public static CoapContentFormat ConciseProblemDetails => new(257);

    /// <summary>272: <c>application/missing-blocks+cbor-seq</c> (RFC 9177).</summary>
    public static CoapContentFormat MissingBlocks => new(272);

    /// <summary>310: <c>application/senml+xml</c> (RFC 8428).</summary>
    public static CoapContentFormat SenmlXml => new(310);

    /// <summary>311: <c>application/sensml+xml</c> (RFC 8428).</summary>
    public static CoapContentFormat SensmlXml => new(311);

    /// <summary>320: <c>application/senml-etch+json</c> (RFC 8790).</summary>
    public static CoapContentFormat SenmlEtchJson => new(320);

    /// <summary>322: <c>application/senml-etch+cbor</c> (RFC 8790).</summary>
    public static CoapContentFormat SenmlEtchCbor => new(322);

    /// <summary>432: <c>application/td+json</c> (W3C Thing Description).</summary>
    public static CoapContentFormat TdJson => new(432);

    /// <summary>10001: <c>application/oscore</c> (RFC 8613).</summary>
    public static CoapContentFormat Oscore => new(10001);

    /// <summary>11542: <c>application/vnd.oma.lwm2m+tlv</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mTlv => new(11542);

    /// <summary>11543: <c>application/vnd.oma.lwm2m+json</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mJson => new(11543);

    /// <summary>11544: <c>application/vnd.oma.lwm2m+cbor</c> (OMA LwM2M).</summary>
    public static CoapContentFormat Lwm2mCbor => new(11544);

    /// <summary>The registered media type with its parameters; null for a number that this library does not know.</summary>
    public string? MediaType => Value switch
    {
        0 => "text/plain;charset=utf-8",
        16 => "application/cose;cose-type=\"cose-encrypt0\"",
        17 => "application/cose;cose-type=\"cose-mac0\"",
        18 => "application/cose;cose-type=\"cose-sign1\"",
        19 => "application/ace+cbor",
        21 => "image/gif",
        22 => "image/jpeg",
        23 => "image/png",
        40 => "application/link-format",
        41 => "application/xml",
        42 => "application/octet-stream",
        47 => "application/exi",
        50 => "application/json",
        51 => "application/json-patch+json",
        52 => "application/merge-patch+json",
        60 => "application/cbor",
        61 => "application/cwt",
        62 => "application/multipart-core",
        63 => "application/cbor-seq",
        110 => "application/senml+json",
        111 => "application/sensml+json",
        112 => "application/senml+cbor",
        113 => "application/sensml+cbor",
        257 => "application/concise-problem-details+cbor",
        272 => "application/missing-blocks+cbor-seq",
        310 => "application/senml+xml",
        311 => "application/sensml+xml",
        320 => "application/senml-etch+json",
        322 => "application/senml-etch+cbor",
        432 => "application/td+json",
        10001 => "application/oscore",
        11542 => "application/vnd.oma.lwm2m+tlv",
        11543 => "application/vnd.oma.lwm2m+json",
        11544 => "application/vnd.oma.lwm2m+cbor",
        _ => null,
    };
}
