using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Http.Backends;

/// <summary>Creates the token that names a device to the back end in a verifiable way: a JSON Web Token with HS256 (RFC 7519).</summary>
internal static class DeviceToken
{
    private static readonly TimeSpan s_lifetime = TimeSpan.FromMinutes(1);
    private static readonly string s_header = Base64Url.EncodeToString("""{"alg":"HS256","typ":"JWT"}"""u8);

    public static string Make(string device, Uri audience, ReadOnlySpan<byte> key, DateTimeOffset now)
    {
        using MemoryStream claims = new();
        using (Utf8JsonWriter json = new(claims))
        {
            json.WriteStartObject();
            json.WriteString("sub", device);
            json.WriteString("aud", audience.GetLeftPart(UriPartial.Authority));
            json.WriteNumber("iat", now.ToUnixTimeSeconds());
            json.WriteNumber("exp", (now + s_lifetime).ToUnixTimeSeconds());
            json.WriteEndObject();
        }

        string signed = $"{s_header}.{Base64Url.EncodeToString(claims.ToArray())}";
        Span<byte> code = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(key, Encoding.ASCII.GetBytes(signed), code);
        return $"{signed}.{Base64Url.EncodeToString(code)}";
    }
}
