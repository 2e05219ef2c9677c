using System.Reflection;
using System.Security;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Mesh;

/// <summary>
/// The picture of the mesh in the documentation is drawn from the wiring of a shard, so it cannot say anything else. With
/// COAP_MESH_PICTURE=write in the environment it is drawn anew.
/// </summary>
public sealed class MeshPictureTests
{
    private const int Column = 190;
    private const int BlockWidth = 120;
    private const int BlockHeight = 52;
    private const int Left = 150;
    private const int Up = 110;
    private const int Down = 330;

    // The one task of each stage.
    private static readonly Dictionary<string, string> s_tasks = new()
    {
        ["Transport"] = "sends and receives bytes",
        ["Channel"] = "finds the peer, limits",
        ["Serializer"] = "bytes to messages and back",
        ["Messaging"] = "RFC 7252 section 4",
        ["Exchanges"] = "section 5, bodies, observers",
        ["Resource"] = "routes, runs, answers",
    };

    [Fact]
    public async Task The_mesh_picture_shows_the_current_wiring()
    {
        await using CoapServer server = new(new CoapEndpointOptions { Transports = { Shards = 1 } });
        string now = Draw(server.Endpoint.Pipelines[0].Links);
        string file = Path.Combine(SourceTree.Root, "docs", "images", "mesh.svg");
        if (Environment.GetEnvironmentVariable("COAP_MESH_PICTURE") == "write")
        {
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            File.WriteAllText(file, now);
        }

        Assert.True(
            File.Exists(file) && File.ReadAllText(file).ReplaceLineEndings("\n") == now,
            "The wiring of the mesh is another one than docs/images/mesh.svg shows. If that is meant, run this test with "
                + "COAP_MESH_PICTURE=write "
            + "and commit the picture.");
    }

    [Fact]
    public async Task The_mesh_is_a_chain_of_five_stages_with_ten_stage_links()
    {
        await using CoapServer server = new(new CoapEndpointOptions { Transports = { Shards = 1 } });
        IReadOnlyList<MeshLink> links = server.Endpoint.Pipelines[0].Links;
        Assert.Equal(links.Skip(1).Select(static link => link.Source), links.SkipLast(1).Select(static link => link.Target));
        object[] stageLinks = [
            .. typeof(CoapStageLinks).GetProperties(BindingFlags.Public | BindingFlags.Static).Select(static link => link.GetValue(null)!)];
        Assert.Equal(10, stageLinks.Length);
        Assert.Equal(
            stageLinks.Select(static link => (link.ToString()!, link.GetType().GetGenericArguments()[0]))
                .OrderBy(static link => link.Item1),
            links.Select(static link => (link.LinkName, link.Item)).OrderBy(static link => link.LinkName));
    }

    private static string Draw(IReadOnlyList<MeshLink> links)
    {
        Type[] blocks = [links[0].Source.GetType(), .. links.Select(static link => link.Target.GetType())];
        string[] stages = [.. blocks.Select(StageOf).Distinct()];
        int right = Left + ((stages.Length - 1) * Column) + BlockWidth;
        int width = right + 140;
        StringBuilder svg = new();
        Line($"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 520\" width=\"{width}\" height=\"520\" "
            + "font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\" aria-labelledby=\"title desc\">");
        Line("<title id=\"title\">The mesh of one shard</title>");
        Line($"<desc id=\"desc\">From the transports to user code: {string.Join(", ", stages.Select(static stage => Report(stage)))}. Answers "
            + "come back the same way. What state machines decide enters at Messaging and Exchanges.</desc>");
        Line("<style>");
        Line("text { fill: #1f2328; } .small { font-size: 10.5px; fill: #59636e; } .stage { font-weight: 600; font-size: 13px; "
            + "text-anchor: middle; }");
        Line(".middle { text-anchor: middle; } .end { text-anchor: end; } .block { fill: #ddf4ff; stroke: #0969da; } .other { fill: "
            + "#f6f8fa; stroke: #818b98; }");
        Line(".shard { fill: #fff8c5; stroke: #9a6700; } .link { stroke: #1f2328; fill: none; marker-end: url(#tip); }");
        Line(".effect { stroke: #9a6700; fill: none; stroke-dasharray: 4 3; marker-end: url(#drain); } #tip path { fill: #1f2328; } #drain "
            + "path { fill: #9a6700; }");
        Line("@media (prefers-color-scheme: dark) {");
        Line("text { fill: #f0f6fc; } .small { fill: #9198a1; } .block { fill: #0c2d6b; stroke: #4493f8; }");
        Line(".other { fill: #212830; stroke: #656c76; } .shard { fill: #341a00; stroke: #d29922; } .link { stroke: #f0f6fc; }");
        Line(".effect { stroke: #d29922; } #tip path { fill: #f0f6fc; } #drain path { fill: #d29922; }");
        Line("}");
        Line("</style>");
        Line("<defs>");
        foreach (string tip in (string[])["tip", "drain"])
        {
            Line($"<marker id=\"{tip}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
                + "<path d=\"M0 0L8 4L0 8z\"/></marker>");
        }

        Line("</defs>");
        for (int i = 0; i < stages.Length; i++)
        {
            Line($"<text class=\"stage\" x=\"{X(i) + (BlockWidth / 2)}\" y=\"40\">{stages[i]}</text>");
            Line($"<text class=\"small middle\" x=\"{X(i) + (BlockWidth / 2)}\" y=\"57\">{s_tasks[stages[i]]}</text>");
        }

        int handler = Array.IndexOf(stages, "Messaging");
        Line($"<path class=\"effect\" style=\"marker-end: none\" d=\"M{X(handler)} 67H{X(handler + 1) + BlockWidth}\"/>");
        Line($"<text class=\"small middle\" x=\"{(X(handler) + X(handler + 1) + BlockWidth) / 2}\" y=\"82\">the two pairs of the Handler "
            + $"stage</text>");
        Other(10, Up, 90, Down - Up + BlockHeight, "transports", ["sockets,", "connections,", "sessions,", "yours"]);
        Other(right + 40, Up, 90, BlockHeight, "user code", ["handlers"]);
        int shardX = X(Array.IndexOf(stages, "Messaging")) - 20;
        foreach (Type block in blocks.Distinct())
        {
            // One block is the whole stage where there is no other half: it takes requests and gives answers.
            bool isWhole = blocks.Count(other => StageOf(other) == StageOf(block)) == 1;
            int x = X(Array.IndexOf(stages, StageOf(block)));
            int height = isWhole ? Down - Up + BlockHeight : BlockHeight;
            Line($"<rect class=\"block\" x=\"{x}\" y=\"{Y(block)}\" width=\"{BlockWidth}\" height=\"{height}\" rx=\"6\"/>");
            Line($"<text class=\"middle\" x=\"{x + (BlockWidth / 2)}\" "
                + $"y=\"{Y(block) + 30}\">{(isWhole ? "requests, replies" : block.Name[StageOf(block).Length..])}</text>");
        }

        Link(100, Up, Left, "bytes", string.Empty);
        foreach (MeshLink link in links)
        {
            Type source = link.Source.GetType();
            Type target = link.Target.GetType();
            bool isDown = target.Name.EndsWith("OutboundBlock", Ordinal);
            int from = X(Array.IndexOf(stages, StageOf(source)));
            int to = X(Array.IndexOf(stages, StageOf(target)));
            Link(isDown ? from : from + BlockWidth, isDown ? Down : Up, isDown ? to + BlockWidth : to, link.Item.Name, "link");
        }

        Link(Left, Down, 100, "bytes", string.Empty);
        Link(right, Up, right + 40, string.Empty, string.Empty);

        // What state machines leave with the shard, and where it is carried out.
        Line($"<rect class=\"shard\" x=\"{shardX}\" y=\"220\" width=\"{Column + BlockWidth + 40}\" height=\"52\" rx=\"6\"/>");
        int shardMiddle = shardX + ((Column + BlockWidth + 40) / 2);
        Line($"<text class=\"middle\" x=\"{shardMiddle}\" y=\"242\">{nameof(IShardEffects)}: what was decided under the lock</text>");
        string[] effects =
            [nameof(CoapShard.Post), nameof(CoapShard.Raise), nameof(CoapShard.Send), nameof(CoapShard.Cancel),
                nameof(CoapShard.AfterRelease)];
        Line($"<text class=\"small middle\" x=\"{shardMiddle}\" y=\"260\">{string.Join(", ", effects)}</text>");
        int messaging = X(handler) + 60;
        int exchanges = X(handler + 1) + 60;
        Line($"<path class=\"effect\" d=\"M{messaging} 220V{Up + BlockHeight}\"/>");
        Line($"<path class=\"effect\" d=\"M{messaging} 272V{Down}\"/>");
        Line($"<path class=\"effect\" d=\"M{exchanges} 220V{Up + BlockHeight}\"/>");
        Line($"<path class=\"effect\" d=\"M{exchanges} 272V{Down}\"/>");
        Small(messaging + 6, 205, "Raise");
        Small(messaging + 6, 305, "Post");
        Small(exchanges + 6, 205, "AfterRelease");
        Small(exchanges + 6, 305, "Send, Cancel");

        Other(X(handler + 1) - 40, 440, BlockWidth + 80, BlockHeight, "requests of ours", ["CoapClient: steps, OutgoingRequestRun"]);
        Line($"<path class=\"link\" d=\"M{exchanges} 440V{Down + BlockHeight}\"/>");
        Small(Left, 512,
            $"{links.Count} links, each a link (CoapStageLinks) for blocks of yours. Serializer and Resource can be replaced (CoapStages).");
        Line("</svg>");
        return svg.ToString();

        static string Report(string stage) => $"{stage} ({s_tasks[stage]})";

        int X(int column) => Left + (column * Column);

        static int Y(Type block) => block.Name.EndsWith("OutboundBlock", Ordinal) ? Down : Up;

        void Small(int x, int y, string text) => Line($"<text class=\"small\" x=\"{x}\" y=\"{y}\">{text}</text>");

        void Line(string line) => svg.Append(line).Append('\n');

        void Link(int from, int y, int to, string item, string kind)
        {
            int middle = (from + to) / 2;
            Line($"<path class=\"link\" d=\"M{from} {y + (BlockHeight / 2)}H{to}\"/>");
            if (item.Length > 0)
            {
                Line($"<text class=\"small middle\" x=\"{middle}\" "
                    + $"y=\"{y + (kind.Length == 0 ? 20 : -6)}\">{SecurityElement.Escape(item)}</text>");
            }
        }

        void Other(int x, int y, int boxWidth, int height, string title, string[] lines)
        {
            Line($"<rect class=\"other\" x=\"{x}\" y=\"{y}\" width=\"{boxWidth}\" height=\"{height}\" rx=\"6\"/>");
            Line($"<text class=\"middle\" x=\"{x + (boxWidth / 2)}\" y=\"{y + 22}\">{title}</text>");
            for (int i = 0; i < lines.Length; i++)
            {
                Line($"<text class=\"small middle\" x=\"{x + (boxWidth / 2)}\" y=\"{y + 40 + (i * 16)}\">{lines[i]}</text>");
            }
        }
    }

    private static string StageOf(Type block) =>
        block.Name.Replace("InboundBlock", string.Empty, Ordinal).Replace("OutboundBlock", string.Empty, Ordinal);
}
