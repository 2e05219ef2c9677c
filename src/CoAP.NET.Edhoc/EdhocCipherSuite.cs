using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Suites;
using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc;

/// <summary>A cipher suite of EDHOC (RFC 9528 section 3.6 and its table in section 10.2).</summary>
public sealed class EdhocCipherSuite
{
    private static readonly EdhocCipherSuite[] s_all =
    [
        new(0, OscoreAlgorithm.AesCcm16With64BitTag128, HashFunction.Sha256, 8, EdhocCurve.X25519, EdhocCurve.Ed25519, 10),
        new(1, OscoreAlgorithm.AesCcm16With128BitTag128, HashFunction.Sha256, 16, EdhocCurve.X25519, EdhocCurve.Ed25519, 10),
        new(2, OscoreAlgorithm.AesCcm16With64BitTag128, HashFunction.Sha256, 8, EdhocCurve.P256, EdhocCurve.P256, 10),
        new(3, OscoreAlgorithm.AesCcm16With128BitTag128, HashFunction.Sha256, 16, EdhocCurve.P256, EdhocCurve.P256, 10),
        new(4, OscoreAlgorithm.ChaCha20Poly1305, HashFunction.Sha256, 16, EdhocCurve.X25519, EdhocCurve.Ed25519, 24),
        new(5, OscoreAlgorithm.ChaCha20Poly1305, HashFunction.Sha256, 16, EdhocCurve.P256, EdhocCurve.P256, 24),
        new(6, OscoreAlgorithm.A128Gcm, HashFunction.Sha256, 16, EdhocCurve.X25519, EdhocCurve.P256, 1),
        new(24, OscoreAlgorithm.A256Gcm, HashFunction.Sha384, 16, EdhocCurve.P384, EdhocCurve.P384, 3),
        new(25, OscoreAlgorithm.ChaCha20Poly1305, HashFunction.Shake256, 16, EdhocCurve.X448, EdhocCurve.Ed448, 24),
    ];

    private static readonly int[] s_defaults = [2, 3, 0, 1, 4, 5, 6, 24];

    private EdhocCipherSuite(
        int number, OscoreAlgorithm aead, HashFunction hash, int macLength, EdhocCurve curve, EdhocCurve signatureCurve,
        int applicationAead)
    {
        (Number, Aead, Hash, MacLength) = (number, aead, hash, macLength);
        (Curve, SignatureCurve, ApplicationAead) = (curve, signatureCurve, applicationAead);
    }

    /// <summary>All suites of the table, whether supported here or not.</summary>
    public static IReadOnlyList<EdhocCipherSuite> All => s_all;

    /// <summary>The number.</summary>
    public int Number { get; }

    /// <summary>The curve of the ephemeral and static Diffie-Hellman keys.</summary>
    internal EdhocCurve Curve { get; }

    internal EdhocCurve SignatureCurve { get; }

    /// <summary>The AEAD algorithm of OSCORE, by its number in COSE.</summary>
    internal int ApplicationAead { get; }

    /// <summary>The hash algorithm of OSCORE's HKDF, by its number in COSE: -16 is SHA-256, -43 SHA-384, -45 SHAKE256.</summary>
    internal int ApplicationHash => Hash.CoseNumber;

    /// <summary>Whether this platform supports the suite.</summary>
    /// <remarks>
    /// 2, 3, 5 and 24 need algorithms of .NET that the system may lack. 0, 1, 4 and 6 need OpenSSL for X25519 and Ed25519, and 25 needs
    /// OpenSSL 3 for X448, Ed448 and KMAC256.
    /// </remarks>
    public bool IsSupported =>
        Aead.IsSupported && Hash.IsSupported && Keys.Curves.IsSupported(Curve) && Keys.Curves.IsSupported(SignatureCurve);

    internal static IEnumerable<EdhocCipherSuite> Defaults => s_defaults.Select(static number => Find(number)!);

    internal OscoreAlgorithm Aead { get; }

    internal HashFunction Hash { get; }

    /// <summary>Bytes of a MAC with a static Diffie-Hellman key.</summary>
    internal int MacLength { get; }

    /// <summary>Finds a suite by its number.</summary>
    /// <param name="number">The number.</param>
    /// <returns>The suite; null if the table has none.</returns>
    public static EdhocCipherSuite? Find(int number) => Array.Find(s_all, suite => suite.Number == number);

    /// <summary>Returns the number and the algorithms.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Number} ({Aead.Name}, {Hash.Name}, {Curve}, {SignatureCurve})";
}
