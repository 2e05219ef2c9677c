using System.Xml.Linq;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Packages of this house use of each other what every user can use: what one of them needs and cannot reach, users need as well. Friends
/// are for tests, simulations and benchmarks.
/// </summary>
public sealed class FriendTests
{
    private static readonly XDocument[] s_projects =
        [.. Directory.EnumerateFiles(SourceTree.Src, "*.csproj", SearchOption.AllDirectories).Select(static file => XDocument.Load(file))];

    [Fact]
    public void No_shipped_assembly_sees_the_internals_of_another()
    {
        string[] shipped = [.. Directory.EnumerateFiles(SourceTree.Src, "*.csproj", SearchOption.AllDirectories).Select(NameOf)];
        Assert.Contains("coap", shipped);
        Assert.Contains("CoAP.NET.Dtls", shipped);

        string[] friends = [.. s_projects.SelectMany(static project => project.Descendants("InternalsVisibleTo"))
            .Select(static item => item.Attribute("Include")!.Value.Split(',')[0])];
        Assert.Contains("CoAP.NET.Tests", friends);
        Assert.Empty(friends.Intersect(shipped));

        // Projects say it; an attribute in a source file would go unseen here.
        Assert.DoesNotContain(
            SourceTree.Files, static file => File.ReadAllText(file).Contains("InternalsVisibleTo(", StringComparison.Ordinal));
    }

    // A link to a file of another assembly is another way round the same wall: only a pure helper that is of no use to users goes that way.
    [Fact]
    public void Files_of_another_assembly_are_compiled_in_for_a_stated_reason_only()
    {
        string[] links = [.. s_projects.SelectMany(static project => project.Descendants("Compile"))
            .Select(static item => item.Attribute("Include")?.Value ?? "")
            .Where(static path => path.StartsWith("..", StringComparison.Ordinal))
            .Select(static path => path.EndsWith("/*.cs", StringComparison.Ordinal)
                ? $"{Path.GetFileName(Path.GetDirectoryName(path))}/*.cs" : Path.GetFileName(path)!)];
        Assert.Equal(
            [
                "CborHead.cs", "CborMajor.cs", "CborNumbers.cs", "CborReader.cs", "CborWriter.cs", "CertificateNames.cs",
                "Chain.cs", "ChainLinks.cs", "Configuration/*.cs", "ContentFault.cs", "Cryptography/*.cs", "Decoding/*.cs", "DurableFile.cs",
                "EditDistance.cs", "ExtendedField.cs", "ForwardStream.cs", "HmacSha256.cs",
                "HostNames.cs", "IChainPlace.cs", "InlineTap.cs", "JsonMetadata.cs", "KeyFileMode.cs", "OccasionalLog.cs",
                "OpenSslNames.cs",
                "PlatformCryptography.cs", "RecentTexts.cs", "ReplayBits.cs", "SaltedCiphers.cs", "Sha256.cs", "SourceLedger.cs", "SourceShares.cs", "StartCheck.cs",
            ],
            links.Distinct().Order(StringComparer.Ordinal));
    }

    private static string NameOf(string project) =>
        XDocument.Load(project).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Path.GetFileNameWithoutExtension(project);
}
