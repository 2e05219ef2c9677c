using System.Security.Cryptography;

namespace CoAP.NET.Edhoc.Keys;

/// <summary>A private key of P-256 or P-384, with the cryptography of .NET.</summary>
internal sealed class NistKey : IPrivateKey
{
    private readonly EdhocCurve _curve;
    private readonly ECDsa? _signing;
    private readonly ECDiffieHellman? _agreeing;

    public NistKey(EdhocCurve curve, ECDsa? signing, ECDiffieHellman? agreeing)
    {
        (_curve, _signing, _agreeing) = (curve, signing, agreeing);
        ECParameters parameters = signing?.ExportParameters(false) ?? agreeing!.ExportParameters(false);
        PublicKey = new EdhocPublicKey(curve, parameters.Q.X!, parameters.Q.Y!);
    }

    public EdhocPublicKey PublicKey { get; }

    public bool CanSign => _signing is not null;

    public bool CanAgree => _agreeing is not null;

    public static NistKey Of(EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        if (secret.Length != Curves.KeyLength(curve) || !NistPrivateKeyValidator.IsScalar(curve, secret))
        {
            throw new ArgumentException($"This is not a private key of {curve}.", nameof(secret));
        }

        ECParameters parameters = new() { Curve = Curves.NistCurve(curve), D = secret.ToArray() };
        try
        {
            return new NistKey(curve, ECDsa.Create(parameters), ECDiffieHellman.Create(parameters));
        }
        finally
        {
            CryptographicOperations.ZeroMemory(parameters.D);
        }
    }

    /// <summary>Generates a key.</summary>
    /// <param name="curve">The curve.</param>
    /// <param name="random">The source of randomness; the platform generates the key itself if secure randomness is allowed.</param>
    /// <param name="isEphemeral">Whether it does not need to sign.</param>
    public static NistKey Generate(EdhocCurve curve, CoapRandomSource random, bool isEphemeral)
    {
        if (ReferenceEquals(random, CoapRandomSource.Secure))
        {
            ECDiffieHellman agreeing = ECDiffieHellman.Create(Curves.NistCurve(curve));
            return new NistKey(curve, isEphemeral ? null : Signing(agreeing), agreeing);
        }

        byte[] secret = new byte[Curves.KeyLength(curve)];
        do
        {
            random.Fill(secret);
        }
        while (!NistPrivateKeyValidator.IsScalar(curve, secret));

        try
        {
            return Of(curve, secret);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(secret);
        }
    }

    public byte[] Agree(ReadOnlySpan<byte> peer)
    {
        if (_agreeing is null)
        {
            throw new InvalidOperationException("This key can sign only: methods with a static Diffie-Hellman key cannot use it.");
        }

        ECParameters parameters = new() { Curve = Curves.NistCurve(_curve), Q = NistPoint.Decompress(_curve, peer) };
        try
        {
            using ECDiffieHellman key = ECDiffieHellman.Create(parameters);
            using ECDiffieHellmanPublicKey publicKey = key.PublicKey;
            return _agreeing.DeriveRawSecretAgreement(publicKey);
        }
        catch (CryptographicException exception)
        {
            throw new EdhocException($"A key is not a point of {_curve}.", exception);
        }
    }

    public byte[] Sign(ReadOnlySpan<byte> data) => _signing is null
        ? throw new InvalidOperationException("This key cannot sign: methods with signatures cannot use it.")
        : _signing.SignData(data, Curves.SignatureHash(_curve), DSASignatureFormat.IeeeP1363FixedFieldConcatenation);

    public void Dispose()
    {
        _signing?.Dispose();
        _agreeing?.Dispose();
    }

    private static ECDsa Signing(ECDiffieHellman key)
    {
        ECParameters parameters = key.ExportParameters(true);
        try
        {
            return ECDsa.Create(parameters);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(parameters.D);
        }
    }
}
