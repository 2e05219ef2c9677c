using System.Globalization;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Alerts of TLS in words (RFC 5246 section 7.2, RFC 4279, RFC 6066).</summary>
internal static class AlertNames
{
    public const int BadRecordMac = 20;
    public const int HandshakeFailure = 40;
    public const int BadCertificate = 42;
    public const int CertificateUnknown = 46;
    public const int UnknownCa = 48;
    public const int AccessDenied = 49;
    public const int DecryptError = 51;
    public const int ProtocolVersion = 70;
    public const int InsufficientSecurity = 71;
    public const int UnrecognizedName = 112;
    public const int UnknownPskIdentity = 115;
    public const int CertificateRequired = 116;

    /// <summary>The registry's name of an alert.</summary>
    /// <param name="alert">Its number.</param>
    /// <returns>Name and number.</returns>
    public static string Of(int alert)
    {
        string name = alert switch
        {
            0 => "close_notify",
            10 => "unexpected_message",
            BadRecordMac => "bad_record_mac",
            22 => "record_overflow",
            HandshakeFailure => "handshake_failure",
            BadCertificate => "bad_certificate",
            43 => "unsupported_certificate",
            44 => "certificate_revoked",
            45 => "certificate_expired",
            CertificateUnknown => "certificate_unknown",
            47 => "illegal_parameter",
            UnknownCa => "unknown_ca",
            AccessDenied => "access_denied",
            50 => "decode_error",
            DecryptError => "decrypt_error",
            ProtocolVersion => "protocol_version",
            InsufficientSecurity => "insufficient_security",
            80 => "internal_error",
            86 => "inappropriate_fallback",
            90 => "user_canceled",
            100 => "no_renegotiation",
            109 => "missing_extension",
            110 => "unsupported_extension",
            UnrecognizedName => "unrecognized_name",
            UnknownPskIdentity => "unknown_psk_identity",
            CertificateRequired => "certificate_required",
            120 => "no_application_protocol",
            _ => "number",
        };
        return string.Create(CultureInfo.InvariantCulture, $"{name} ({alert})");
    }
}
