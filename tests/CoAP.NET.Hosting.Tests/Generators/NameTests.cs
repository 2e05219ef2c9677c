using CoAP.NET.Generators.Naming;
using CoAP.NET.Hosting.Server;
using CoAP.NET.Hosting.Tests.Documentation;

namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>Names of HttpClient, Kestrel and ASP.NET Core that do not exist here: the analyzer says what to write instead.</summary>
public sealed partial class NameTests
{
    private const string Head = """
        using System;
        using System.IO;
        using System.Net.Http;
        using System.Net.Http.Json;
        using System.Threading.Tasks;
        using CoAP.NET;
        using CoAP.NET.Dtls;
        using CoAP.NET.Oscore;
        using CoAP.NET.Options;
        using CoAP.NET.ResourceDirectory;
        using Microsoft.AspNetCore.Builder;
        using Microsoft.Extensions.DependencyInjection;
        using Microsoft.Extensions.Hosting;

        namespace Microsoft.AspNetCore.Builder { public interface IApplicationBuilder; }

        public static class Calls
        {
        """;

    private const string Parameters = "CoapResponse response, CoapClient client, CoapRequestContext context, CoapRequest request, "
        + "CoapServer server, CoapObservation observation, CoapRouteHandlerBuilder route, CoapResource resource, CoapLink link, "
        + "CoapOptionCollection options, CoapMessage message, OscoreContext oscore, IApplicationBuilder app, IServiceCollection services, "
        + "IHost host, byte[] bytes, Stream stream, IProgress<long> progress";

    private static readonly Lazy<Task<(string[] Errors, string[] Messages)[]>> s_results = new(CompileAsync);

    /// <summary>What users write, and a part of the answer.</summary>
    public static TheoryData<string, string> Written => new()
    {
        { "response.EnsureSuccessStatusCode();", "'EnsureSuccess()'" },
        { "_ = response.IsSuccessStatusCode;", "'IsSuccess'" },
        { "_ = response.StatusCode;", "'Code'" },
        { "_ = response?.StatusCode;", "'Code'" },
        { "_ = response.ReasonPhrase;", "'Code.Name'" },
        { "_ = response.Headers.ETag;", "'Options.ETag'" },
        { "_ = response.ETag;", "'Options.ETag'" },
        { "_ = response.Location;", "'Options.Location'" },
        { "_ = response.LocationPath;", "'Options.LocationPath'" },
        { "_ = response.ObserveSequenceNumber;", "'Options.Observe'" },
        { "_ = response.Content.Length;", "'GetText()'" },
        { "_ = response.Body;", "'Payload'" },
        { "_ = response.GetJson<int>();", "'ReadJson<T>()'" },
        { "_ = response.GetFromJson<int>();", "'ReadJson<T>()'" },
        { "_ = await response.ReadFromJsonAsync<int>();", "'ReadJson<T>()'" },
        { "_ = await response.ReadAsStringAsync();", "'GetText()'" },
        { "_ = await response.ReadAsByteArrayAsync();", "'Payload'" },
        { "_ = await response.ReadAsStreamAsync();", "'OpenReadAsync(uri)'" },
        { "_ = response.ContentLength;", "'Payload.Length'" },
        { "response.Dispose();", "nothing to release" },
        { "using CoapResponse got = response;", "a plain variable" },
        { "using (CoapResponse got = response) { }", "a plain variable" },
        { "_ = CoapResponse.Text(\"x\");", "'CoapResults.Text'" },
        { "_ = CoapResponse.Json(1);", "'CoapResults.Json'" },
        { "_ = CoapResponse.NotFound();", "'CoapResults.NotFound'" },
        { "_ = CoapResponse.BadRequest();", "'CoapResults.BadRequest'" },

        { "_ = await client.GetStringAsync(\"x\");", "'EnsureSuccess().GetText()'" },
        { "_ = await client.GetByteArrayAsync(\"x\");", "'EnsureSuccess().Payload'" },
        { "_ = await client.GetStreamAsync(\"x\");", "'OpenReadAsync(uri)'" },
        { "_ = await client.PostAsJsonAsync(\"x\", 1);", "'PostAsync' with 'CoapContent.Json(value)'" },
        { "_ = await client.PutAsJsonAsync(\"x\", 1);", "'PutAsync' with 'CoapContent.Json(value)'" },
        { "_ = await client.PatchAsJsonAsync(\"x\", 1);", "'PatchAsync' with 'CoapContent.Json(value)'" },
        { "client.DefaultRequestOptions.Accept = default;", "'ConfigureRequest'" },
        { "_ = client.DefaultRequestHeaders;", "'ConfigureRequest'" },
        { "client.UsePsk(\"x\", bytes);", "'new CoapClient(options => options.UsePsk(identity, key))'" },
        { "client.UseDtls();", "options.UseDtls" },
        { "client.UseOscore(oscore);", "'options.UseOscore(contexts)'" },
        { "client.UseProxy(\"x\");", "'Proxy'" },
        { "_ = client.SubscribeAsync(\"x\");", "'ObserveAsync(uri)'" },

        { "_ = context.Query[\"x\"];", "'TryGetQuery(name, out value)'" },
        { "_ = context.QueryString;", "'Queries'" },
        { "_ = context.Body;", "'BodyReader'" },
        { "_ = context.Content;", "'Payload'" },
        { "_ = await context.ReadFromJsonAsync<int>();", "'ReadJson<T>()'" },
        { "_ = context.User.Identity;", "'Peer.Identity'" },
        { "_ = context.RouteValues[\"x\"];", "'Route'" },
        { "_ = context.Headers;", "'Options'" },
        { "_ = context.Request.Path;", "itself" },
        { "_ = context.HttpContext;", "itself" },
        { "_ = context.Response;", "'CoapResult'" },
        { "_ = context.RequestServices;", "'Services'" },
        { "_ = context.RequestAborted;", "'Aborted'" },
        { "_ = context.Connection;", "'Peer'" },
        { "_ = context.RemoteEndPoint;", "'Peer.RemoteEndPoint'" },

        { "_ = request.Headers;", "'Options'" },
        { "_ = request.RequestUri;", "'Uri'" },
        { "_ = request.Body;", "'Content'" },
        { "_ = new CoapRequest(CoapMethod.Get, \"x\") { Body = null };", "'Content'" },

        { "_ = CoapResults.Ok();", "'Changed()'" },
        { "_ = CoapResults.NoContent();", "'Deleted()'" },
        { "_ = CoapResults.Accepted();", "'Changed()'" },
        { "_ = CoapResults.NotModified();", "'Valid(etag)'" },
        { "_ = CoapResults.Forbid();", "'Forbidden()'" },
        { "_ = CoapResults.Challenge();", "'Unauthorized()'" },
        { "_ = CoapResults.StatusCode(404);", "'Status(code)'" },
        { "_ = CoapResults.Problem();", "'CoAP.NET.Content'" },
        { "_ = CoapResults.ValidationProblem();", "'UnprocessableEntity(text)'" },
        { "_ = CoapResults.Created(\"/x\", 1);", "'Created(location)'" },
        { "_ = CoapResults.Stream(stream, \"text/plain\");", "'CoapETag.FromVersion(1)'" },
        { "_ = CoapResults.Stream(stream);", "'File(path)'" },

        { "_ = server.Urls;", "'LocalEndpoints'" },
        { "_ = server.Addresses;", "'LocalEndpoints'" },
        { "server.Run();", "'RunAsync()'" },
        { "await server.WaitForShutdownAsync();", "'RunAsync(cancellationToken)'" },
        { "server.Listen(5683);", "Listen(\"coap://[::]:5683\")" },
        { "server.Listen(\"coaps://[::]\", keys => { });", "'ListenSecure'" },
        { "server.ListenAnyIP(5683);", "Listen(\"coap://[::]:5683\")" },
        { "server.ListenLocalhost(5683);", "Listen(\"coap://[::]:5683\")" },
        { "server.UsePsk(\"x\", bytes);", "'ListenSecure(uri, keys => keys.UsePsk(identity, key))'" },
        { "server.UseDtls();", "'ListenSecure(uri, keys => ...)'" },
        { "server.UseHttps();", "'ListenSecure(uri, keys => ...)'" },
        { "server.UseForwardProxy();", "'MapForwardProxy(new CoapProxy(options))'" },
        { "server.UseProxy();", "'MapForwardProxy(new CoapProxy(options))'" },
        { "server.Use((next, other) => next);", "'Routes.AddFilter(...)'" },
        { "server.UseMiddleware<object>();", "'Routes.AddFilter(...)'" },
        { "_ = server.Pipeline;", "'CoapStageLinks'" },
        { "server.UseOscore();", "'options.UseOscore(contexts)'" },
        { "server.MapPubSubBroker(\"/ps\");", "'MapPubSub(path, options)'" },
        { "server.MapResourceDirectory(rd => { });", "'MapResourceDirectory(new CoapDirectoryOptions { ... })'" },
        { "server.MapMethods(\"/x\", [\"GET\"], () => \"x\");", "'Map(template, methods, handler)'" },
        { "server.NotifyAsync(\"/x\");", "'Notify(path)'" },

        { "await observation.CancelAsync();", "'DisposeAsync()'" },
        { "await observation.StopAsync();", "'DisposeAsync()'" },
        { "await observation.UnsubscribeAsync();", "'DisposeAsync()'" },
        { "await foreach (CoapResponse one in observation) { }", "'ReadAllAsync()'" },
        { "await foreach (CoapResponse one in client.ObserveAsync(\"x\")) { }", "'await client.ObserveAsync(uri)'" },
        { "await route.NotifyAsync();", "'Notify()'" },
        { "route.Produces(1);", "'WithContentFormat(format)'" },
        { "await resource.NotifyAsync();", "'Notify()'" },

        { "_ = link.Uri;", "'ResolveTarget(baseUri)'" },
        { "_ = link.Href;", "'Target'" },
        { "_ = link.Rel;", "'Relations'" },
        { "_ = link.ResourceType;", "'ResourceTypes'" },
        { "_ = link.ContentFormat;", "'ContentFormats'" },

        { "_ = options.GetString(1);", "'Get<TOption>()'" },
        { "_ = options.GetValue(1);", "'Get<TOption>()'" },
        { "options.Set(4, bytes);", "'Set(new TOption(value))'" },
        { "options.Add(\"x\", \"y\");", "'Add' with an option" },
        { "_ = options.TryGetValue(\"x\", out string? got);", "'Get<TOption>()'" },
        { "_ = CoapOption.IfMatch;", "'new IfMatchOption(bytes)'" },
        { "_ = CoapOption.ETag;", "'CoAP.NET.Options'" },
        { "_ = CoapOption.Accept;", "'CoAP.NET.Options'" },
        { "_ = CoapOption.ContentFormat;", "'CoAP.NET.Options'" },
        { "_ = CoapOption.MaxAge;", "'CoAP.NET.Options'" },
        { "_ = CoapOption.UriPath;", "'CoAP.NET.Options'" },
        { "_ = CoapOption.UriQuery;", "'CoAP.NET.Options'" },
        { "_ = new CoapOption<string>(65002, \"x\");", "'StringOption'" },

        { "_ = message.RemoteEndPoint;", "'CoapDatagram'" },
        { "_ = message.Headers;", "'Options'" },

        { "_ = oscore.MasterSecret;", "'new OscoreParameters(masterSecret, senderId, recipientId)'" },
        { "_ = oscore.MasterSalt;", "'OscoreParameters'" },
        { "_ = oscore.SenderId;", "'OscoreContext.OpenAsync'" },
        { "_ = oscore.RecipientId;", "'OscoreContext.CreateVolatile'" },
        { "_ = new OscoreContext();", "'new OscoreParameters(masterSecret, senderId, recipientId)'" },

        { "app.UseCoap();", "'MapCoap()'" },
        { "app.MapCoapGet(\"/x\", () => \"x\");", "'AddCoapServer'" },
        { "app.MapCoapForwarder(\"/x\", \"y\");", "'MapCoapResource(pattern, target)'" },
        { "services.AddCoapProxy();", "'AddCoapServer().AddCoapProxy(...)'" },
        { "services.AddCoap();", "'AddCoapServer()'" },
        { "host.MapGet(\"/x\", () => \"x\");", "'AddCoapServer'" },
        { "host.MapPut(\"/x\", () => \"x\");", "'AddCoapServer'" },
        { "host.MapPost(\"/x\", () => \"x\");", "'AddCoapServer'" },

        { "ICoapClientFactory got;", "'[FromKeyedServices(name)] ICoapClient'" },
        { "_ = new CoapClientOptions();", "'CoapEndpointOptions'" },
        { "_ = new CoapServerOptions();", "'CoapEndpointOptions'" },
        { "try { } catch (CoapRequestException) { }", "'CoapResponseException'" },
        { "_ = CoapStatusCode.NotFound;", "'CoapCode'" },
        { "_ = CoapCompletionOption.ResponseHeadersRead;", "'OpenReadAsync(uri)'" },
        { "CoapRequestMessage got;", "'CoapRequest'" },
        { "CoapResponseMessage got;", "'CoapResponse'" },
        { "CoapContext got;", "'CoapRequestContext'" },
        { "CoapHttpContext got;", "'CoapRequestContext'" },
        { "CoapMessageHandler got;", "'ICoapClientHandler'" },
        { "CoapDelegatingHandler got;", "'ICoapClientHandler'" },
        { "ICoapMiddleware got;", "'ICoapEndpointFilter'" },
        { "_ = new CoapStringContent(\"x\");", "'CoapContent.Text(text)'" },
        { "_ = new CoapJsonContent(1);", "'CoapContent.Json(value)'" },
        { "_ = new CoapStreamContent(stream);", "'CoapContent.Stream(stream)'" },
        { "_ = CoapMediaType.Json;", "'CoapContentFormat'" },
        { "_ = CoapApplication.Create();", "'CoapServer'" },
        { "_ = CoapStage.Decode;", "'CoapStages'" },
        { "_ = new PreSharedKey(\"x\", bytes);", "'CoapPskCredential'" },
        { "_ = new DtlsClientOptions();", "'CoapDtlsClientOptions'" },
        { "_ = new DtlsServerOptions();", "'CoapDtlsServerOptions'" },
        { "ResourceDirectoryClient got;", "'CoapDirectoryClient'" },
        { "ResourceDirectoryRegistration got;", "'CoapRegistration'" },
        { "PubSubClient got;", "'CoapPubSubClient'" },
        { "PubSubBroker got;", "'CoapPubSubBroker'" },
        { "PubSubTopic got;", "'CoapTopic'" },
        { "PubSubMessage got;", "'SubscribeAsync'" },
        { "VirtualNetwork got;", "'InMemoryNetwork'" },
        { "FakeNetwork got;", "'InMemoryNetwork'" },
    };

    /// <summary>The methods of a client with a content, and what is no content.</summary>
    public static MatrixTheoryData<string, (string Written, string Use)> Contents { get; } = new(
        ["PutAsync", "PostAsync", "PatchAsync", "IPatchAsync", "FetchAsync"],
        [
            ("\"x\"", "'CoapContent.Text(text)'"), ("bytes", "'CoapContent.Binary(bytes)'"),
            ("new StringContent(\"x\")", "'CoapContent.Text(text)'"), ("new ByteArrayContent(bytes)", "'CoapContent.Binary(bytes)'"),
            ("new StreamContent(stream)", "'CoapContent.Stream(stream)'"), ("JsonContent.Create(1)", "'CoapContent.Json(value)'"),
            ("CoapContent.Text(\"x\"), progress", "'Progress'"),
        ]);

    [Theory]
    [MemberData(nameof(Written))]
    public Task The_diagnostic_for_a_name_of_another_library_gives_the_name_in_this_library(string written, string use) =>
        ExpectAsync(Lines.IndexOf(written), use);

    [Theory]
    [MemberData(nameof(Contents))]
    public Task The_diagnostic_for_an_argument_that_is_not_a_CoapContent_names_the_factory_to_use(
        string method, (string Written, string Use) content) =>
        ExpectAsync(Lines.IndexOf(Call(method, content.Written)), content.Use);

    [Fact]
    public async Task Every_listed_wrong_name_gets_a_diagnostic_with_the_right_name()
    {
        string[] messages = [.. (await s_results.Value).SelectMany(static line => line.Messages)];
        Assert.All(All, name => Assert.Contains(messages, message => message.Contains($"'{name.Name}", Ordinal)
            && message.EndsWith($"; use {name.Use}", Ordinal)), throwIfEmpty: true);
    }

    [Fact]
    public void Every_name_in_an_answer_is_public()
    {
        HashSet<string> names = ReadPublicNames();
        Assert.All(All.SelectMany(static name => Code().Matches(name.Use)).SelectMany(static code => Word().Matches(code.Value)),
            word => Assert.Contains(word.Value, names), throwIfEmpty: true);
    }

    [Fact]
    public void Every_name_of_this_library_in_the_guide_is_public()
    {
        HashSet<string> names = ReadPublicNames();
        string[] cells = [.. Page.Read("guides/from-httpclient.md").Split('\n').Where(static line => line.StartsWith("| ", Ordinal))
            .Select(static line => line.Split(" | ")[1])];
        Assert.InRange(cells.Length, 30, 40);
        Assert.All(cells.SelectMany(static cell => Span().Matches(cell)).SelectMany(static code => Word().Matches(code.Value)),
            word => Assert.Contains(word.Value, names), throwIfEmpty: true);
    }

    [Theory]
    [InlineData("using CoAP.NET;\n/// <summary><see cref=\"CoapStatusCode\"/></summary>\npublic class C;")]
    [InlineData("using CoAP.NET;\npublic class C { string M() => nameof(CoapResults.Stream) + nameof(CoapServer.Listen); }")]
    [InlineData("using CoAP.NET;\npublic class C { object M(dynamic d) => d.StatusCode; }")]
    [InlineData("using CoAP.NET;\npublic class CoapContext { object? StatusCode; object? M(CoapContext c) => c.StatusCode; }")]
    public async Task Code_that_compiles_gets_no_answer(string code)
    {
        CSharpCompilation compilation = Snippet.CompileFile(code);
        Assert.DoesNotContain(compilation.GetDiagnostics(), static diagnostic => diagnostic.DefaultSeverity == DiagnosticSeverity.Error);
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
    }

    [Theory]
    [InlineData("", 0)]
    [InlineData("using System.Text;", 0)]
    [InlineData("using CoAP.NET;", 1)]
    [InlineData("namespace A { using CoAP.NET.Options; }", 1)]
    [InlineData("global using CoAP.NET;", 1)]
    public async Task The_name_of_a_type_is_answered_only_where_the_library_is_used(string usings, int count)
    {
        CSharpCompilation compilation = Snippet.CompileFile($"{usings}\npublic class C {{ object M() => CoapStatusCode.Ok; }}");
        Assert.Equal(count, (await Snippet.AnalyzeAsync(compilation)).Length);
    }

    /// <summary>The compiler stops before it runs analyzers if the type of a declaration is unknown.</summary>
    [Theory]
    [InlineData("public class C(ICoapClientFactory factory);")]
    [InlineData("public class C { ICoapClientFactory? _factory; }")]
    [InlineData("public class C { System.Threading.Tasks.Task<ICoapClientFactory> M() => null!; }")]
    [InlineData("public class C : ICoapClientFactory;")]
    public async Task The_name_of_a_type_in_a_declaration_is_answered_by_the_generator(string code)
    {
        CSharpCompilation compilation = Snippet.CompileFile($"using CoAP.NET;\n{code}");
        Snippet.Driver().RunGeneratorsAndUpdateCompilation(compilation, out _, out ImmutableArray<Diagnostic> found);
        Diagnostic diagnostic = Assert.Single(found);
        Assert.Equal("COAP0014", diagnostic.Id);
        diagnostic.GetMessage().Mentions("[FromKeyedServices(name)] ICoapClient");
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
    }

    private static IEnumerable<OtherLibraryName> All => OtherLibraryNames.ByName.Values.SelectMany(static names => names);

    private static List<string> Lines { get; } = [.. Written.Select(static row => row.Data.Item1),
        .. Contents.Select(static row => Call(row.Data.Item1, row.Data.Item2.Written))];

    // With the attribute of .NET that names a client.
    private static HashSet<string> ReadPublicNames() =>
    [
        .. Repository.ShippedFiles("PublicAPI.*.txt")
            .SelectMany(static file => Word().Matches(File.ReadAllText(file)).Select(static word => word.Value)),
        "FromKeyedServices",
    ];

    private static string Call(string method, string content) => $"await client.{method}(\"x\", {content});";

    private static async Task ExpectAsync(int line, string use)
    {
        (string[] errors, string[] messages) = (await s_results.Value)[line];
        Assert.NotEmpty(errors);
        Assert.Single(messages).Mentions(use);
    }

    // One compilation, with a line for each piece of code.
    private static async Task<(string[] Errors, string[] Messages)[]> CompileAsync()
    {
        CSharpCompilation compilation = Snippet.CompileFile(Head
            + string.Concat(Lines.Select(static (line, i) => $"\nstatic async Task M{i}({Parameters}) {{ {line} }}")) + "\n}");
        int first = Head.Split('\n').Length;
        ILookup<int, Diagnostic> errors = compilation.GetDiagnostics()
            .Where(static found => found.DefaultSeverity == DiagnosticSeverity.Error).ToLookup(LineOf);
        ILookup<int, Diagnostic> messages = (await Snippet.AnalyzeAsync(compilation)).ToLookup(LineOf);
        return [.. Lines.Select((_, i) => (Texts(errors[first + i]), Texts(messages[first + i])))];
    }

    private static int LineOf(Diagnostic diagnostic) => diagnostic.Location.GetLineSpan().StartLinePosition.Line;

    private static string[] Texts(IEnumerable<Diagnostic> found) => [.. found.Select(static one => one.GetMessage())];

    [GeneratedRegex("`[^`]+`")]
    private static partial Regex Span();

    [GeneratedRegex("'[^']+'")]
    private static partial Regex Code();

    [GeneratedRegex(@"\b[A-Z]\w+")]
    private static partial Regex Word();
}
