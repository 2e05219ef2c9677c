using System.Runtime.Versioning;
using System.Xml.Linq;
using CoAP.NET.Simulation.Traces;

namespace CoAP.NET.Reliability.Tests.Traces;

/// <summary>docs/life-of-a-get.md lists the classes that a GET passes; with COAP_WRITE_DOCS=1 this writes the list.</summary>
[SupportedOSPlatform("linux")]
public sealed class LifeOfAGetTests
{
    private const string Begin = "<!-- begin trace -->\n";
    private const string End = "<!-- end trace -->";

    // The block with which each half of a stage begins.
    private static readonly Dictionary<string, string> s_stages = new()
    {
        ["TransportInboundBlock"] = "Transport, inbound",
        ["ChannelInboundBlock"] = "Channel, inbound",
        ["SerializerInboundBlock"] = "Serializer, inbound",
        ["MessagingInboundBlock"] = "Messaging, inbound",
        ["ExchangesInboundBlock"] = "Exchanges, inbound",
        ["ResourceInboundBlock"] = "Resource, and the handler",
        ["ExchangesOutboundBlock"] = "Exchanges, outbound",
        ["MessagingOutboundBlock"] = "Messaging, outbound",
        ["SerializerOutboundBlock"] = "Serializer, outbound",
        ["ChannelOutboundBlock"] = "Channel, outbound",
        ["TransportOutboundBlock"] = "Transport, outbound",
    };

    [Fact]
    public void The_page_lists_the_classes_that_process_a_GET_in_their_order()
    {
        string file = Path.Combine(Repository.Root, "docs", "life-of-a-get.md");
        string page = File.ReadAllText(file).ReplaceLineEndings("\n");
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        int end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.InRange(begin, Begin.Length, end);
        string text = Table();
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            File.WriteAllText(file, page[..begin] + text + page[end..]);
            return;
        }

        Assert.Equal(text, page[begin..end]);
    }

    private static string Table()
    {
        string core = typeof(CoapMessage).Assembly.Location;
        Dictionary<string, string> sentences = XDocument.Load(Path.ChangeExtension(core, ".xml")).Descendants("member")
            .Where(member => member.Attribute("name")!.Value.StartsWith("T:", StringComparison.Ordinal))
            .ToDictionary(member => member.Attribute("name")!.Value[2..], member => SentenceOf(member.Element("summary")));
        StringBuilder text = new("\n## The receive loop\n\n| | class | what it does |\n|---|---|---|\n");
        int number = 0;
        foreach (string type in GetTrace.Run())
        {
            Assert.True(sentences.TryGetValue(type, out string? sentence), $"{type} has no summary.");
            string name = type[(type.LastIndexOf('.') + 1)..].Split('`')[0];
            if (s_stages.TryGetValue(name, out string? stage))
            {
                text.Append(CultureInfo.InvariantCulture, $"\n## {stage}\n\n| | class | what it does |\n|---|---|---|\n");
            }

            text.Append(CultureInfo.InvariantCulture, $"| {++number} | `{name}` | {sentence} |\n");
        }

        return text.Append('\n').ToString();
    }

    private static string SentenceOf(XElement? summary)
    {
        string text = string.Concat(summary?.Nodes().Select(node => node switch
        {
            XElement { Name.LocalName: "see" } see => see.Attribute("cref")?.Value.Split('(')[0].Split('.', ':', '`')[^1] ?? see.Value,
            XElement element => element.Value,
            _ => node.ToString(),
        }) ?? []);
        text = string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        int end = text.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? text : text[..(end + 1)];
    }
}
