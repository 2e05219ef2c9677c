using System.Globalization;
using CoAP.NET.Cli.Output;
using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Discovering;

/// <summary>Links as a tree of their paths.</summary>
internal static class LinkTree
{
    private static readonly string[] s_known = ["rt", "if", "ct", "sz", "obs", "title", "title*"];

    public static void Write(IReadOnlyList<CoapLink> links, string baseUri, CliOutput output)
    {
        foreach (LinkNode root in LinkNode.TreesOf(links, baseUri))
        {
            Tree tree = new(MarkupFormatter.Of($"[bold]{Escape(root.Name)}[/]{AttributesOf(root)}"));
            AddTo(tree, root);
            output.WriteBlock(tree);
        }
    }

    private static void AddTo(IHasTreeNodes parent, LinkNode node)
    {
        foreach (LinkNode child in node.Children.Values)
        {
            string slash = child.Children.Count > 0 || child.Links.Exists(link => link.Target.EndsWith('/')) ? "/" : "";
            string name = child.Links.Count > 0 ? $"[aqua]{Escape(child.Name)}[/]" : Escape(child.Name);
            AddTo(parent.AddNode(MarkupFormatter.Of($"{name}{slash}{AttributesOf(child)}")), child);
        }
    }

    private static string AttributesOf(LinkNode node) =>
        string.Concat(node.Links.Select(link => "  " + string.Join(' ', AttributesOf(link))).Where(text => text.Length > 2));

    private static IEnumerable<string> AttributesOf(CoapLink link)
    {
        if (link.ResourceTypes.Count > 0)
        {
            yield return $"[green]rt={Escape(string.Join(',', link.ResourceTypes))}[/]";
        }

        if (link.Interfaces.Count > 0)
        {
            yield return $"[green]if={Escape(string.Join(',', link.Interfaces))}[/]";
        }

        if (link.ContentFormats.Count > 0)
        {
            yield return $"ct={Escape(string.Join(',', link.ContentFormats.Select(format => format.ToString())))}";
        }

        if (link.Size is { } size)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"sz={size}");
        }

        if (link.IsObservable)
        {
            yield return "[yellow]obs[/]";
        }

        foreach (CoapLinkAttribute attribute in link.Attributes.Where(
            attribute => !s_known.Contains(attribute.Name, StringComparer.OrdinalIgnoreCase)))
        {
            yield return $"[grey]{Escape(attribute.ToString())}[/]";
        }

        if (link.Title is { } title)
        {
            yield return $"[grey]\"{Escape(title)}\"[/]";
        }
    }

    private static string Escape(string text) => Markup.Escape(TextSanitizer.LineOf(text));
}
