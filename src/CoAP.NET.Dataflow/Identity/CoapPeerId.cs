using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Security.Principal;
using CoAP.NET.Cryptography;

namespace CoAP.NET;

/// <summary>The ID of a peer: the method by which it proved its identity, and the proven value.</summary>
/// <remarks>
/// <para>
/// Two values are equal if they mean the same peer, over any number of sessions, connections, transports and restarts. Limits, caches,
/// directories, topics, web applications and HTTP back ends all use it. A peer that proved nothing has none, and is equal only to itself.
/// </para>
/// <para>
/// It never contains what the peer may choose freely: a display name, a requested server name, or a kid that a key exchange assigned.
/// </para>
/// </remarks>
public sealed class CoapPeerId : IEquatable<CoapPeerId>
{
    /// <summary>The method of a pre-shared key (RFC 4279); the value is the identity of the key.</summary>
    public const string PskMethod = "psk";

    /// <summary>
    /// The method of a certificate. The value is its subject and its issuer, which a renewed certificate keeps. For a certificate without a
    /// subject and a self-signed one, the value is the SHA-256 of the public key.
    /// </summary>
    public const string CertificateMethod = "certificate";

    /// <summary>The method of a raw public key (RFC 7250); the value is the SHA-256 of its SubjectPublicKeyInfo.</summary>
    public const string RawPublicKeyMethod = "rpk";

    /// <summary>
    /// The method of an OSCORE security context that no key exchange made; the value is the kid (Recipient ID) and the ID Context.
    /// </summary>
    public const string OscoreMethod = "oscore";

    /// <summary>
    /// The method of EDHOC; the value is the name that the application gave the credential, otherwise the SHA-256 of the credential.
    /// </summary>
    public const string EdhocMethod = "edhoc";

    /// <summary>The method of a user of a web application; the value is the unique identifier and its issuer.</summary>
    public const string UserMethod = "user";

    /// <summary>The method of a name that the application gives its peers; the value is that name.</summary>
    public const string NameMethod = "name";

    // The name of the claim when claims keep the names of their token (RFC 7519 section 4.1.2).
    private const string Subject = "sub";

    // A subject without any name: an empty sequence in DER.
    private const int EmptyNameLength = 2;

    private readonly int _hash;

    /// <summary>Creates the identity of a peer, for example in a transport of your own.</summary>
    /// <param name="method">How the peer proved it: one of the constants, or another word without a colon.</param>
    /// <param name="value">The proven value; unique for the method.</param>
    /// <exception cref="ArgumentException">The method is empty or has a colon.</exception>
    public CoapPeerId(string method, string value)
    {
        ArgumentException.ThrowIfNullOrEmpty(method);
        ArgumentNullException.ThrowIfNull(value);
        if (method.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException("The method of a peer's identity has no colon, which ends it in the text.", nameof(method));
        }

        (Method, Value) = (method, value);
        _hash = HashCode.Combine(method, value);
    }

    /// <summary>How the peer proved its identity, such as <see cref="PskMethod"/>.</summary>
    public string Method { get; }

    /// <summary>The proven value, such as the identity of the pre-shared key.</summary>
    public string Value { get; }

    /// <summary>Whether two values mean the same peer.</summary>
    /// <param name="left">The first value.</param>
    /// <param name="right">The second value.</param>
    public static bool operator ==(CoapPeerId? left, CoapPeerId? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether two values mean different peers.</summary>
    /// <param name="left">The first value.</param>
    /// <param name="right">The second value.</param>
    public static bool operator !=(CoapPeerId? left, CoapPeerId? right) => !(left == right);

    /// <summary>Creates the identity of the owner of a certificate that was checked.</summary>
    /// <param name="certificate">The certificate.</param>
    /// <returns>The identity.</returns>
    public static CoapPeerId OfCertificate(X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);

        // No authority checked the subject of a self-signed certificate; only its key is proven. Names with a semicolon are quoted.
        return certificate.SubjectName.RawData.Length <= EmptyNameLength
            || certificate.SubjectName.RawData.AsSpan().SequenceEqual(certificate.IssuerName.RawData)
            ? new CoapPeerId(CertificateMethod, $"key={HashOf(certificate.PublicKey.ExportSubjectPublicKeyInfo())}")
            : new CoapPeerId(CertificateMethod, $"{certificate.Subject};issuer={certificate.Issuer}");
    }

    /// <summary>Creates the identity of the owner of a raw public key.</summary>
    /// <param name="publicKey">The key as SubjectPublicKeyInfo in DER.</param>
    /// <returns>The identity.</returns>
    internal static CoapPeerId OfPublicKey(ReadOnlySpan<byte> publicKey) => new(RawPublicKeyMethod, HashOf(publicKey));

    /// <summary>Creates the identity of a user, from the identifier in its claims: <c>NameIdentifier</c> or <c>sub</c>.</summary>
    /// <returns>
    /// The identity; null for a user that is not authenticated, or has no identifier. A name is none, because users may choose it.
    /// </returns>
    internal static CoapPeerId? OfUser(ClaimsPrincipal user)
    {
        ArgumentNullException.ThrowIfNull(user);
        return user.Identities.Select(Of).FirstOrDefault(static id => id is not null);
    }

    /// <summary>Whether it means the same peer: the same method and the same value.</summary>
    /// <param name="other">The other value.</param>
    /// <returns>True if it does.</returns>
    public bool Equals(CoapPeerId? other) =>
        ReferenceEquals(this, other) || (other is not null && _hash == other._hash && Method == other.Method && Value == other.Value);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CoapPeerId);

    /// <inheritdoc/>
    public override int GetHashCode() => _hash;

    /// <summary>Returns the identity as text that is stable across restarts and nodes, for storage: method, colon, value.</summary>
    /// <returns>The text, such as <c>psk:meter-7</c>.</returns>
    public override string ToString() => $"{Method}:{Value}";

    /// <summary>Creates the identity from the object by which an application or a key exchange names a peer.</summary>
    /// <remarks>
    /// A text is a name that the application gave. An object of another type counts by its type and its <c>ToString</c>, if the type has
    /// one of its own; better let it implement <see cref="ICoapPeerIdentity"/>.
    /// </remarks>
    /// <param name="identity">The object; null for none.</param>
    /// <returns>The identity; null for a peer that proved nothing, or nothing that distinguishes it.</returns>
    internal static CoapPeerId? Of(object? identity) => identity switch
    {
        null => null,
        CoapPeerId id => id,
        ICoapPeerIdentity transport => transport.Id,
        ClaimsPrincipal user => OfUser(user),
        IPrincipal user => Of(user.Identity),
        IIdentity user => Of(user),
        string name => name.Length == 0 ? null : new CoapPeerId(NameMethod, name),
        _ => OfText(identity),
    };

    private static CoapPeerId? Of(IIdentity? identity)
    {
        if (identity is not { IsAuthenticated: true })
        {
            return null;
        }

        if (identity is ClaimsIdentity user)
        {
            // Not the name, which users may choose.
            Claim? claim = user.FindFirst(ClaimTypes.NameIdentifier) ?? user.FindFirst(Subject) ?? user.FindFirst(ClaimTypes.PrimarySid);
            return claim is null ? null : User(claim.Issuer, claim.Value);
        }

        return User(identity.AuthenticationType, identity.Name);
    }

    // Without a bar in the issuer, the two parts stay apart. An identifier is unique for one issuer only.
    private static CoapPeerId? User(string? issuer, string? id) =>
        string.IsNullOrEmpty(id) ? null : new CoapPeerId(UserMethod, $"{Uri.EscapeDataString(issuer ?? "")}|{id}");

    // A type without its own ToString would give all peers the same text.
    private static CoapPeerId? OfText(object identity) =>
        identity.ToString() is { Length: > 0 } text && text != identity.GetType().ToString()
            ? new CoapPeerId(NameMethod, $"{identity.GetType().FullName}:{text}")
            : null;

    private static string HashOf(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(Sha256.HashData(bytes));
}
