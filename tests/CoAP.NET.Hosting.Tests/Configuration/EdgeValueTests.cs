using System.Reflection;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>
/// Each number of the tables of keys at its least and its largest value: the server starts, and answers over UDP and TCP. With the least
/// time for something it starts; whether it answers in that time depends on the machine.
/// </summary>
public sealed partial class EdgeValueTests : HostTest
{
    // What an operator turns off by the value.
    private static readonly HashSet<(string Path, bool IsTcp, bool IsMax)> s_off = [("Limits:Connections:MaxCount", true, false)];

    private readonly EdhocCredentialFiles _edhoc = new();

    public static TheoryData<string, string, bool> Edges => new(
        from key in AllKeys.Server.Keys
        where EdgesOf(key.Allowed) is not null
        from isMax in (bool[])[false, true]
        select (key.Path, EdgesOf(key.Allowed)![isMax ? 1 : 0], isMax));

    public static TheoryData<string, bool> Limits => new(
        from path in LimitPaths.All
        where LimitPaths.ValueOf(new CoapLimits(), path) is int or long or double or TimeSpan
        from isMax in (bool[])[false, true]
        select (path, isMax));

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _edhoc.Dispose();
    }

    [Fact]
    public void The_tables_have_many_numbers() => Assert.InRange(Edges.Count, 150, 1000);

    [Theory]
    [MemberData(nameof(Edges))]
    public async Task A_server_answers_with_a_number_at_its_edge(string path, string value, bool isMax)
    {
        bool mustAnswer = isMax || !value.Contains('s', Ordinal) && !value.Contains(':', Ordinal);
        await ServeAsync(
            [(path, value)], isUdp: !s_off.Contains((path, false, isMax)), isTcp: !s_off.Contains((path, true, isMax)), mustAnswer);
    }

    [Fact]
    public async Task A_server_answers_with_all_numbers_at_their_largest_values()
    {
        await ServeAsync(
            [.. from key in AllKeys.Server.Keys where key.Path.StartsWith("Limits:", Ordinal) && EdgesOf(key.Allowed) is not null
                select (key.Path, EdgesOf(key.Allowed)![1])],
            isUdp: true, isTcp: true, mustAnswer: true);
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_server_answers_with_a_limit_of_code_at_its_edge(string path, bool isMax)
    {
        string key = "Limits:" + path.Replace('.', ':');
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0; coap+tcp://127.0.0.1:0"));
        builder.Services.AddCoapServer(options => SetEdge(options.Endpoint.Limits, path, isMax)).MapGet("/x", static () => "here");
        await AskAsync(builder, isUdp: !s_off.Contains((key, false, isMax)), isTcp: !s_off.Contains((key, true, isMax)),
            mustAnswer: isMax || LimitPaths.ValueOf(new CoapLimits(), path) is not TimeSpan);
    }

    // The least and the largest value of a number, a time or a size as configuration; null for other keys.
    private static string[]? EdgesOf(string allowed)
    {
        if (Between().Match(allowed) is { Success: true } between)
        {
            return [between.Groups["min"].Value, between.Groups["max"].Value];
        }

        if (Above().Match(allowed) is { Success: true } above)
        {
            // The least that the type has.
            string max = above.Groups["max"].Value;
            return [max.EndsWith('s') || allowed.Contains("time such as", Ordinal) ? "00:00:00.0000001" : "1e-9",
                max.Length > 0 ? max
                    : allowed.Contains("time such as", Ordinal) ? TimeSpan.MaxValue.ToString("c", CultureInfo.InvariantCulture)
                    : double.MaxValue.ToString("R", CultureInfo.InvariantCulture)];
        }

        return OrMore().Match(allowed) is not { Success: true } least ? null
            : [least.Groups["min"].Value, allowed.Contains("time such as", Ordinal)
                ? TimeSpan.MaxValue.ToString("c", CultureInfo.InvariantCulture) : long.MaxValue.ToString(CultureInfo.InvariantCulture)];
    }

    // Finds the edge of the property's range, which only its setter knows, by halves.
    private static void SetEdge(CoapLimits limits, string path, bool isMax)
    {
        (PropertyInfo property, object owner) = LimitPaths.Find(limits, path)!.Value;
        object accepted = property.GetValue(owner)!;
        if (accepted is double)
        {
            property.SetValue(owner, isMax ? 1.0 : double.Epsilon);
            return;
        }

        long inside = accepted is TimeSpan time ? time.Ticks : Convert.ToInt64(accepted, CultureInfo.InvariantCulture);
        long outside = isMax ? accepted is int ? int.MaxValue : long.MaxValue : -1;
        if (TrySet(outside))
        {
            return;
        }

        while (Math.Abs((decimal)outside - inside) > 1)
        {
            long middle = (long)(((decimal)outside + inside) / 2);
            (inside, outside) = TrySet(middle) ? (middle, outside) : (inside, middle);
        }

        Assert.True(TrySet(inside));

        bool TrySet(long value)
        {
            try
            {
                property.SetValue(owner, accepted is TimeSpan ? TimeSpan.FromTicks(value)
                    : Convert.ChangeType(value, property.PropertyType, CultureInfo.InvariantCulture));
                return true;
            }
            catch (TargetInvocationException exception) when (exception.InnerException is ArgumentException)
            {
                return false;
            }
        }
    }

    private Task ServeAsync((string Path, string Value)[] settings, bool isUdp, bool isTcp, bool mustAnswer)
    {
        HostApplicationBuilder builder = Builder([
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0; coap+tcp://127.0.0.1:0"), ("Coap:Server:Dtls:Psk:meter", "sesame"),
            ("Coap:Server:Edhoc:File", _edhoc.Server),
            .. settings.Select(static one => ($"Coap:Server:{one.Path}", (string?)one.Value))]);
        builder.Services.AddCoapServer().UseDtls().UseOscore().UseEdhoc().MapGet("/x", static () => "here");
        return AskAsync(builder, isUdp, isTcp, mustAnswer);
    }

    private async Task AskAsync(HostApplicationBuilder builder, bool isUdp, bool isTcp, bool mustAnswer)
    {
        IHost host = await StartAsync(builder);
        foreach (CoapUri address in mustAnswer ? host.Services.GetRequiredService<CoapServer>().LocalEndpoints : [])
        {
            bool isTcpAddress = address.Scheme == "coap+tcp";
            await using CoapClient client = new();
            Task<CoapResponse> asked = client.GetAsync(address.Resolve("/x"));
            if (isTcpAddress ? isTcp : isUdp)
            {
                await Within(asked).Says("here");
            }
            else
            {
                await Assert.ThrowsAnyAsync<CoapException>(() => Within(asked));
            }
        }

        await Within(host.StopAsync());
    }

    [GeneratedRegex(@"(?<min>\d+(\.\d+)?( ?(B|KiB|MiB|GiB|ms|s|min|h|d)\b)?) to (?<max>\d+(\.\d+)?( ?(B|KiB|MiB|GiB|ms|s|min|h|d)\b)?)")]
    private static partial Regex Between();

    [GeneratedRegex(@"above 0( s)?(, up to (?<max>\d+(\.\d+)?( ?(ms|s|min|h|d)\b)?))?")]
    private static partial Regex Above();

    [GeneratedRegex(@"(?<min>\d+(\.\d+)?( ?(B|KiB|MiB|GiB|ms|s|min|h|d)\b)?) or more")]
    private static partial Regex OrMore();
}
