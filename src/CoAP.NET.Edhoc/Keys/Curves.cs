using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Native;

namespace CoAP.NET.Edhoc.Keys;

/// <summary>The supported curves of EDHOC, and operations on their keys.</summary>
internal static class Curves
{
    public static bool IsSupported(EdhocCurve curve) => curve switch
    {
        EdhocCurve.P256 or EdhocCurve.P384 => PlatformCryptographyAvailability.IsAvailable,
        EdhocCurve.X25519 or EdhocCurve.Ed25519 or EdhocCurve.X448 or EdhocCurve.Ed448 => OpenSslKeys.IsSupported
            && PlatformCryptographyAvailability.IsAvailable,
        _ => false,
    };

    /// <summary>Returns the length in bytes of a private key, and of a public one or its coordinate.</summary>
    public static int KeyLength(EdhocCurve curve) => curve switch
    {
        EdhocCurve.P384 => 48,
        EdhocCurve.X448 => 56,
        EdhocCurve.Ed448 => 57,
        _ => 32,
    };

    public static int SignatureLength(EdhocCurve curve) => 2 * KeyLength(curve);

    public static bool IsNist(EdhocCurve curve) => curve is EdhocCurve.P256 or EdhocCurve.P384;

    public static bool CanSign(EdhocCurve curve) => curve is not (EdhocCurve.X25519 or EdhocCurve.X448);

    public static ECCurve NistCurve(EdhocCurve curve) =>
        curve == EdhocCurve.P256 ? ECCurve.NamedCurves.nistP256 : ECCurve.NamedCurves.nistP384;

    public static HashAlgorithmName SignatureHash(EdhocCurve curve) =>
        curve == EdhocCurve.P256 ? HashAlgorithmName.SHA256 : HashAlgorithmName.SHA384;

    /// <summary>Returns the NIST curve for a .NET curve; null for others.</summary>
    public static EdhocCurve? Named(Oid curve) => curve switch
    {
        { Value: "1.2.840.10045.3.1.7" } or { FriendlyName: "nistP256" or "ECDSA_P256" or "ECDH_P256" } => EdhocCurve.P256,
        { Value: "1.3.132.0.34" } or { FriendlyName: "nistP384" or "ECDSA_P384" or "ECDH_P384" } => EdhocCurve.P384,
        _ => null,
    };

    /// <exception cref="PlatformNotSupportedException">OpenSSL for it is missing.</exception>
    public static void ThrowIfNotSupported(EdhocCurve curve)
    {
        if (!Enum.IsDefined(curve))
        {
            throw new ArgumentOutOfRangeException(nameof(curve), curve, "There is no such curve.");
        }

        // The hashes of all suites are .NET's.
        PlatformCryptographyAvailability.ThrowIfMissing("EDHOC");
        if (!IsSupported(curve))
        {
            throw new PlatformNotSupportedException(
                $"{curve} needs OpenSSL {OpenSslLibraryNames.Versions}, which is missing. Install it, name its directory in the environment "
                    + $"variable {OpenSslKeys.PathVariable}, or use cipher suites 2 and 3, which need nothing but .NET.");
        }
    }
}
