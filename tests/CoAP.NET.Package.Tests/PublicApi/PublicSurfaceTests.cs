using System.Reflection;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Package.Tests.PublicApi;

/// <summary>
/// What users can reach changes only on purpose: the surface of each library is kept as text, so that a change of it is seen in review.
/// With COAP_PUBLIC_API=write in the environment the texts are written anew.
/// </summary>
public sealed class PublicSurfaceTests
{
    [Theory]
    [InlineData("CoAP.NET.Dataflow")]
    [InlineData("CoAP.NET.Content")]
    [InlineData("CoAP.NET.Http")]
    [InlineData("CoAP.NET.Edhoc")]
    [InlineData("CoAP.NET.Oscore")]
    [InlineData("CoAP.NET.Proxy")]
    [InlineData("CoAP.NET.PubSub")]
    [InlineData("CoAP.NET.Hosting")]
    [InlineData("CoAP.NET.AspNetCore")]
    [InlineData("CoAP.NET.Explorer")]
    [InlineData("CoAP.NET.Dtls")]
    [InlineData("CoAP.NET.Cluster")]
    [InlineData("CoAP.NET.Cluster.PostgreSql")]
    [InlineData("CoAP.NET.Cluster.Sqlite")]
    [InlineData("CoAP.NET.ResourceDirectory")]
    [InlineData("CoAP.NET.Tables")]
    [InlineData("CoAP.NET.Testing")]
    public void The_public_surface_is_the_one_that_was_agreed(string library)
    {
        string file = Path.Combine(Repository.Root, "tests", "CoAP.NET.Package.Tests", "PublicApi", library + ".txt");
        string now = PublicSurface.Of(Assembly.Load(library));
        if (Environment.GetEnvironmentVariable("COAP_PUBLIC_API") == "write")
        {
            File.WriteAllText(file, now);
        }

        string[] agreed = File.Exists(file) ? File.ReadAllText(file).Split('\n') : [];
        string[] lines = now.Split('\n');
        string[] gone = [.. Missing(agreed, lines).Select(line => "- " + line)];
        string[] come = [.. Missing(lines, agreed).Select(line => "+ " + line)];
        Assert.True(
            gone.Length + come.Length == 0,
            $"The public surface of {library} changed. If that is meant (what is gone breaks users: see docs/versioning.md), run this test "
                + $"with COAP_PUBLIC_API=write and commit {Path.GetFileName(file)}.\n{string.Join('\n', gone.Concat(come).Take(60))}");
    }

    [Fact]
    public void A_changed_signature_is_a_difference()
    {
        string surface = PublicSurface.Of(typeof(PublicSurfaceTests).Assembly);

        Assert.Contains("sealed class CoAP.NET.Package.Tests.PublicApi.PublicSurfaceTests\n    new()\n", surface, StringComparison.Ordinal);
        Assert.Contains("    void The_public_surface_is_the_one_that_was_agreed(string library)\n", surface, StringComparison.Ordinal);
        Assert.DoesNotContain("TypeNames", surface, StringComparison.Ordinal);
    }

    /// <summary>
    /// The lines of one text that the other lacks, each with the type it belongs to, counted as often as they stand there.
    /// </summary>
    private static IEnumerable<string> Missing(string[] from, string[] other)
    {
        Dictionary<string, int> there = WithTypes(other).CountBy(line => line).ToDictionary();
        foreach (string line in WithTypes(from))
        {
            if (there.TryGetValue(line, out int count) && count > 0)
            {
                there[line] = count - 1;
                continue;
            }

            yield return line;
        }
    }

    private static IEnumerable<string> WithTypes(string[] lines)
    {
        string type = string.Empty;
        foreach (string line in lines.Where(line => line.Length > 0))
        {
            bool isMember = line.StartsWith("    ", StringComparison.Ordinal);
            type = isMember ? type : line;
            yield return isMember ? $"{type.Split(" : ")[0]}: {line.Trim()}" : line;
        }
    }
}
