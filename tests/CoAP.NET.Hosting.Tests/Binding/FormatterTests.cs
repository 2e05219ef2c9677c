using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Hosting.Tests.Documentation;

namespace CoAP.NET.Hosting.Tests.Binding;

/// <summary>Content-Formats of the application in bound handlers.</summary>
public sealed class FormatterTests : HostTest
{
    private static readonly CoapContentFormat s_csv = new(65000);

    [Fact]
    public async Task A_registered_format_is_used_by_Content_Format_and_Accept_in_addition_to_JSON()
    {
        await using CoapClient client = new();
        string address = await StartAsync(services => services.AddCoapFormatter(new CsvFormatter()), server =>
        {
            server.MapPost("/readings", (Reading reading) => reading with { Celsius = reading.Celsius + 1 });
            server.MapGet("/reading", (int n) => new Reading("a", n));
        });

        CoapResponse response = await SendAsync(client, address + "/readings", "hall,20.5", s_csv, s_csv);
        Assert.Equal((CoapCode.Changed, s_csv, "hall,21.5"), (response.Code, response.ContentFormat, response.GetText()));
        response = await SendAsync(client, address + "/readings", "hall,20.5", s_csv, null);
        Assert.Equal((CoapContentFormat.Json, """{"sensor":"hall","celsius":21.5}"""), (response.ContentFormat, response.GetText()));
        response = await SendAsync(client, address + "/readings", """{"sensor":"hall","celsius":1}""", CoapContentFormat.Json, s_csv);
        response.Says("hall,2");
        response = await SendAsync(client, address + "/readings", "hall,20.5", s_csv, CoapContentFormat.Xml);
        response.Gives(CoapCode.NotAcceptable);
        string links = (await Within(client.GetAsync(address + "/.well-known/core"))).GetText();
        links.Mentions("</reading>;ct=\"50 60 65000\"");
    }

    [Theory]
    [InlineData("hall", "4.00", "The body 'reading' cannot be read. Two fields are expected.")]
    [InlineData("hall,secret", "4.00", "The body 'reading' cannot be read as ")]
    [InlineData("", "4.00", "The request lacks the body 'reading'.")]
    [InlineData("<xml/>", "4.15", "The body 'reading' is read as JSON or CBOR or ")]
    public async Task A_body_that_a_formatter_refuses_is_an_error_of_the_client(string body, string code, string diagnostic)
    {
        await using CoapClient client = new();
        string address = await StartAsync(
            services => services.AddCoapFormatter(new CsvFormatter()), server => server.MapPost("/readings", (Reading reading) => "ok"));

        CoapResponse response = await SendAsync(
            client, address + "/readings", body, body.StartsWith('<') ? CoapContentFormat.Xml : s_csv, null);
        Assert.Equal(CoapCode.Parse(code), response.Code);
        response.GetText().Begins(diagnostic);
        response.GetText().Omits("secret");
    }

    [Fact]
    public async Task A_formatter_from_the_container_serves_types_without_metadata_and_types_declared_as_object()
    {
        await using CoapClient client = new();
        string address = await StartAsync(
            services => services.AddSingleton(new Suffix("!")).AddCoapFormatter<NoteFormatter>().ConfigureCoapJson(
                options => options.SerializerOptions.TypeInfoResolver = JsonTypeInfoResolver.Combine(DeviceContext.Default)),
            server =>
            {
                server.MapPost("/notes", (Note note) => note);
                server.MapGet("/typed", (int n) => new Note($"{n}"));
                server.MapGet("/note", object (int n) => new Note($"{n}"));
            });

        CoapResponse response = await SendAsync(client, address + "/notes", "hi", NoteFormatter.Number, null);
        Assert.Equal((NoteFormatter.Number, "hi!"), (response.ContentFormat, response.GetText()));
        response = await SendAsync(client, address + "/notes", "{}", CoapContentFormat.Json, null);
        response.Gives(CoapCode.UnsupportedContentFormat);
        CoapRequest get = new(CoapMethod.Get, address + "/note?n=7") { Accept = NoteFormatter.Number };
        await Within(client.SendAsync(get)).Says("7!");
        (await Within(client.GetAsync(address + "/.well-known/core"))).GetText().Mentions("</typed>;ct=65001");
    }

    [Fact]
    public async Task Two_formatters_with_the_same_number_for_a_type_prevent_the_start()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapFormatter(new CsvFormatter()).AddCoapFormatter(new CsvFormatter());
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).MapPost("/readings", (Reading reading) => reading);
        IHost host = Build(builder);
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => Within(host.StartAsync()));
        exception.Mentions("POST /readings: ");
        exception.Mentions("CsvFormatter both read ");
        exception.Mentions("CsvFormatter both write ");
    }

    [Fact]
    public async Task A_route_mapped_after_the_start_has_the_formatters_of_the_host()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapFormatter(new CsvFormatter());
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        IHost host = await StartAsync(builder);
        host.Services.GetRequiredService<CoapServer>().MapGet("/late", (int n) => new Reading("late", n));
        await using CoapClient client = new();
        CoapRequest get = new(CoapMethod.Get, AddressOf(host) + "/late?n=3") { Accept = s_csv };
        await Within(client.SendAsync(get)).Says("late,3");
    }

    [Fact]
    public async Task Formats_declared_by_the_application_for_a_route_are_kept()
    {
        await using CoapClient client = new();
        string address = await StartAsync(services => services.AddCoapFormatter(new CsvFormatter()), server =>
            server.MapGet("/json", (int n) => new Reading("a", n)).Produces(CoapContentFormat.Json));
        CoapRequest get = new(CoapMethod.Get, address + "/json?n=3") { Accept = s_csv };
        await Within(client.SendAsync(get)).Gives(CoapCode.NotAcceptable);
    }

    [Fact]
    public async Task The_options_of_a_group_add_formatters_without_a_host()
    {
        await using BoundServer bound = await BoundServer.StartAsync(server =>
        {
            CoapRouteGroup group = server.MapGroup("/g");
            group.WithMetadata(new CoapJsonOptions { Formatters = { new CsvFormatter() } });
            group.MapPost("/readings", (Reading reading) => reading);
        });
        CoapResponse response = await bound.SendAsync(
            CoapMethod.Post, "/g/readings", new CoapContent("a,1"u8.ToArray(), s_csv), request => request.Accept = s_csv);
        response.Says("a,1");
    }

    private async Task<string> StartAsync(Action<IServiceCollection> configure, Action<ICoapServerBuilder> map)
    {
        HostApplicationBuilder builder = Builder();
        configure(builder.Services);
        map(builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")));
        return AddressOf(await StartAsync(builder));
    }

    private static Task<CoapResponse> SendAsync(
        CoapClient client, string uri, string body, CoapContentFormat format, CoapContentFormat? accept) =>
        Within(client.SendAsync(new CoapRequest(CoapMethod.Post, uri)
        {
            Content = new CoapContent(Encoding.UTF8.GetBytes(body), format),
            Accept = accept,
        }));

    internal sealed record Note(string Text);

    internal sealed record Suffix(string Text);

    internal sealed class NoteFormatter(Suffix suffix) : ICoapFormatter
    {
        public static readonly CoapContentFormat Number = new(65001);

        public CoapContentFormat Format => Number;

        public bool CanRead(Type type) => type == typeof(Note);

        public bool CanWrite(Type type) => type == typeof(Note);

        public object? Read(ReadOnlyMemory<byte> payload, Type type) => new Note(Encoding.UTF8.GetString(payload.Span));

        public ReadOnlyMemory<byte> Write(object value, Type type) => Encoding.UTF8.GetBytes(((Note)value).Text + suffix.Text);
    }
}
