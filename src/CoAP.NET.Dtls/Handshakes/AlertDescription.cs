using System.Globalization;
using System.Text.Json;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The meaning of an alert (RFC 5246 section 7.2, RFC 4279, RFC 6066), by the names of the registry.</summary>
internal enum AlertDescription : byte
{
    CloseNotify = 0,
    UnexpectedMessage = 10,
    BadRecordMac = 20,
    RecordOverflow = 22,
    HandshakeFailure = 40,
    BadCertificate = 42,
    UnsupportedCertificate = 43,
    CertificateRevoked = 44,
    CertificateExpired = 45,
    CertificateUnknown = 46,
    IllegalParameter = 47,
    UnknownCa = 48,
    AccessDenied = 49,
    DecodeError = 50,
    DecryptError = 51,
    ProtocolVersion = 70,
    InsufficientSecurity = 71,
    InternalError = 80,
    InappropriateFallback = 86,
    UserCanceled = 90,
    NoRenegotiation = 100,
    MissingExtension = 109,
    UnsupportedExtension = 110,
    UnrecognizedName = 112,
    UnknownPskIdentity = 115,
    CertificateRequired = 116,
    NoApplicationProtocol = 120,
}

/// <summary>Alerts as text.</summary>
internal static class AlertDescriptionExtensions
{
    /// <summary>Returns the name and the number of an alert, such as <c>decrypt_error (51)</c>.</summary>
    public static string ToText(this AlertDescription alert)
    {
        string name = Enum.IsDefined(alert) ? JsonNamingPolicy.SnakeCaseLower.ConvertName(alert.ToString()) : "number";
        return string.Create(CultureInfo.InvariantCulture, $"{name} ({(byte)alert})");
    }
}
