using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using CoAP.NET.CredentialFiles;
using CoAP.NET.Cryptography;
using CoAP.NET.Limits;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// On Linux .NET's cryptography needs OpenSSL, and ends the process where it is missing. Servers and clients without TLS and DTLS therefore
/// use none of it: a peer must not be able to end them.
/// </summary>
public sealed partial class OpenSslTests
{
    // Each asks PlatformCryptographyAvailability first, or runs only on other systems.
    private static readonly string[] s_exceptions =
    [
        // The last resorts for AES-CCM: AesCcmCipher.MeansFor decides.
        "CoAP.NET.Dataflow: CoAP.NET.Cryptography.AesCcmCipher uses AesCcm",
        "CoAP.NET.Dataflow: CoAP.NET.Cryptography.PlatformAes uses Aes",
        "CoAP.NET.Dataflow: CoAP.NET.Cryptography.PlatformAes uses SymmetricAlgorithm",

        // Not on Linux.
        "CoAP.NET.Dataflow: CoAP.NET.Limits.SecureRandomSource uses RandomNumberGenerator",

        // Certificates exist only where OpenSSL is: of a TLS connection, and of files that are read after a check.
        "CoAP.NET.AspNetCore: CoAP.NET.AspNetCore.HttpContextPeerIdentity uses X509CertificateLoader",
        "CoAP.NET.Dataflow: CoAP.NET.Cryptography.CertificateDer uses X509CertificateLoader",
        "CoAP.NET.Dataflow: CoAP.NET.Transports.Tcp.TlsSettings uses X509CertificateLoader",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.RevocationListReader uses ECDsa",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.RevocationListReader uses ECDsaCertificateExtensions",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.RevocationListReader uses RSA",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.RevocationListReader uses RSACertificateExtensions",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.RevocationListReader uses RSASignaturePadding",
        "CoAP.NET.Dataflow: CoAP.NET.CredentialFiles.CertificateFiles uses X509CertificateLoader",
        "CoAP.NET.Testing: CoAP.NET.Testing.CoapTestIdentity uses X509CertificateLoader",

        // Checked when a context is created: OscoreAlgorithm.ThrowIfUnsupported, OscoreHkdf.Extract.
        "CoAP.NET.Oscore: CoAP.NET.Oscore.Contexts.OscoreAead uses AesGcm",
        "CoAP.NET.Oscore: CoAP.NET.Oscore.Contexts.OscoreAead uses ChaCha20Poly1305",
        "CoAP.NET.Oscore: CoAP.NET.Oscore.OscoreAlgorithm uses AesGcm",
        "CoAP.NET.Oscore: CoAP.NET.Oscore.OscoreAlgorithm uses ChaCha20Poly1305",
        "CoAP.NET.Oscore: CoAP.NET.Oscore.Contexts.OscoreHkdf uses HKDF",
    ];

    [Fact]
    public void Only_the_listed_types_use_cryptography_of_the_platform()
    {
        string[] assemblies =
        [
            "CoAP.NET.AspNetCore", "CoAP.NET.Content", "CoAP.NET.Dataflow", "CoAP.NET.Explorer", "CoAP.NET.Hosting",
            "CoAP.NET.Hosting.Abstractions", "CoAP.NET.Http", "CoAP.NET.Messages", "CoAP.NET.Oscore", "CoAP.NET.Proxy", "CoAP.NET.PubSub",
            "CoAP.NET.ResourceDirectory", "CoAP.NET.Testing", "CoAP.NET.Testing.Hosting",
        ];

        Assert.Equal(s_exceptions.Order(StringComparer.Ordinal), assemblies.SelectMany(UsesOf).Order(StringComparer.Ordinal));
    }

    // A directory or broker on one node has its table from that package, and no cluster.
    [Fact]
    public void In_memory_tables_use_no_cryptography_of_the_platform()
    {
        string[] uses = [.. UsesOf("CoAP.NET.Cluster")];

        Assert.Contains("CoAP.NET.Cluster: CoAP.NET.Cluster.Records.ClusterSecrets uses HKDF", uses);
        Assert.DoesNotContain(uses, use => MemoryTables().IsMatch(use));
    }

    private static IEnumerable<string> UsesOf(string assembly)
    {
        using PEReader file = new(File.OpenRead(Path.Combine(AppContext.BaseDirectory, assembly + ".dll")));
        MetadataReader metadata = file.GetMetadataReader();
        SortedSet<string> uses = [];
        foreach (TypeDefinitionHandle handle in metadata.TypeDefinitions)
        {
            foreach (MethodDefinitionHandle method in metadata.GetTypeDefinition(handle).GetMethods())
            {
                int address = metadata.GetMethodDefinition(method).RelativeVirtualAddress;
                if (address != 0)
                {
                    uses.UnionWith(IntermediateCode.Tokens(file.GetMethodBody(address).GetILBytes()!)
                        .Select(token => NameOf(metadata, MetadataTokens.EntityHandle(token))).OfType<string>()
                        .Select(name => $"{assembly}: {OutermostName(metadata, handle)} uses {name}"));
                }
            }
        }

        return uses;
    }

    // The type of the platform's cryptography that a member belongs to; null for another member.
    private static string? NameOf(MetadataReader metadata, EntityHandle handle)
    {
        if (handle.Kind == HandleKind.MethodSpecification)
        {
            handle = metadata.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
        }

        if (handle.Kind != HandleKind.MemberReference)
        {
            return null;
        }

        MemberReference member = metadata.GetMemberReference((MemberReferenceHandle)handle);
        if (member.Parent.Kind != HandleKind.TypeReference)
        {
            return null;
        }

        TypeReference type = metadata.GetTypeReference((TypeReferenceHandle)member.Parent);
        string name = metadata.GetString(type.Name);
        return metadata.GetString(type.Namespace) is "System.Security.Cryptography" or "System.Security.Cryptography.X509Certificates"
            && NeedsOpenSsl().IsMatch($"{name}.{metadata.GetString(member.Name)}") ? name : null;
    }

    private static string OutermostName(MetadataReader metadata, TypeDefinitionHandle handle)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        while (!type.GetDeclaringType().IsNil)
        {
            type = metadata.GetTypeDefinition(type.GetDeclaringType());
        }

        return $"{metadata.GetString(type.Namespace)}.{metadata.GetString(type.Name)}";
    }

    [GeneratedRegex(
        @"^(SHA\d|Shake|MD5|HMAC|Kmac|HKDF|HashAlgorithm\.|IncrementalHash|KeyedHash|Rfc2898|Aes|ChaCha20|SymmetricAlgorithm|TripleDES|"
            + @"RandomNumberGenerator|ECD|RSA|DSA\.|MLKem|MLDsa|SlhDsa|CertificateRequest|X509CertificateLoader|"
            + @"CryptographicOperations\.(Hash|Hmac|Verify))")]
    private static partial Regex NeedsOpenSsl();

    [GeneratedRegex(@"\.(MemoryTable|CoapReplicatedTable|CoapTableKey|Table(Contents|Slot|Entries|Bounds|Clock)) uses")]
    private static partial Regex MemoryTables();
}
