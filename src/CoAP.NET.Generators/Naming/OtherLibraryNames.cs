using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace CoAP.NET.Generators.Naming;

/// <summary>The names that users of HttpClient, Kestrel and ASP.NET Core write here.</summary>
internal static class OtherLibraryNames
{
    /// <summary>The name of an entry about a constructor.</summary>
    public const string Constructor = "new";

    /// <summary>The name of an entry about the enumeration of a value.</summary>
    public const string Enumeration = "await foreach";

    /// <summary>The name of an entry about the disposal of a value.</summary>
    public const string Disposal = "using";

    private const string Client = "CoAP.NET.ICoapClient";
    private const string Context = "CoAP.NET.CoapRequestContext";
    private const string Link = "CoAP.NET.CoapLink";
    private const string Message = "CoAP.NET.CoapMessage";
    private const string Observation = "CoAP.NET.CoapObservation";
    private const string Option = "CoAP.NET.CoapOption";
    private const string Options = "CoAP.NET.CoapOptionCollection";
    private const string OscoreContext = "CoAP.NET.Oscore.OscoreContext";
    private const string Request = "CoAP.NET.CoapRequest";
    private const string Resource = "CoAP.NET.CoapResource";
    private const string Response = "CoAP.NET.CoapResponse";
    private const string Results = "CoAP.NET.CoapResults";
    private const string Route = "CoAP.NET.CoapRouteHandlerBuilder";
    private const string Server = "CoAP.NET.CoapServer";
    private const string Services = "Microsoft.Extensions.DependencyInjection.IServiceCollection";
    private const string Web = "Microsoft.AspNetCore.Builder.IApplicationBuilder";

    private const string Body = "'Payload', 'GetText()' or 'ReadJson<T>()'";
    private const string ClientOptions = "'new CoapClient(options => ...)', whose options are 'CoapEndpointOptions'; "
        + "'CoapClientOptions' of 'CoAP.NET.Hosting' is for 'AddCoapClient'";
    private const string Download = "'OpenReadAsync(uri)' of the client, which reads blocks as the stream is read";
    private const string HostedRoutes = "'MapGet' of the builder that 'AddCoapServer' returns";
    private const string Json = "'CoapContent.Json(value)' as the content";
    private const string Listening = "'Listen(\"coap://[::]:5683\")', or 'ListenSecure' for keys";
    private const string NewOption = "'Add' with an option of the namespace 'CoAP.NET.Options', such as 'new IfMatchOption(bytes)'";
    private const string Oscore = "'options.UseOscore(contexts)' in 'new CoapClient(options => ...)' or 'new CoapServer(options => ...)'";
    private const string OscoreKeys = "'new OscoreParameters(masterSecret, senderId, recipientId)', which 'OscoreContext.OpenAsync' and "
        + "'OscoreContext.CreateVolatile' take";
    private const string OwnOption = "a class of your own that derives from 'StringOption', 'UIntOption' or 'OpaqueOption'";
    private const string RequestDefaults = "the properties of each 'CoapRequest'; 'CoapClientOptions' of 'AddCoapClient' have "
        + "'ConfigureRequest'";
    private const string ServerFilter = "'Routes.AddFilter(...)' for code around all handlers";

    private static readonly string[] s_withContent = ["PutAsync", "PostAsync", "PatchAsync", "IPatchAsync", "FetchAsync"];

    private static readonly (string Type, string Use)[] s_contents =
    [
        ("System.String", "'CoapContent.Text(text)'"),
        ("System.Byte[]", "'CoapContent.Binary(bytes)'"),
        ("System.Net.Http.StringContent", "'CoapContent.Text(text)'"),
        ("System.Net.Http.ByteArrayContent", "'CoapContent.Binary(bytes)'"),
        ("System.Net.Http.StreamContent", "'CoapContent.Stream(stream)'"),
        ("System.Net.Http.Json.JsonContent", "'CoapContent.Json(value)'"),
        ("System.IProgress`1", "'SendAsync' with a 'CoapRequest' that has 'Progress'"),
    ];

    /// <summary>The entries by name.</summary>
    public static ImmutableDictionary<string, ImmutableArray<OtherLibraryName>> ByName { get; } =
        Members().Concat(Contents()).Concat(Types()).GroupBy(static entry => entry.Name)
            .ToImmutableDictionary(static same => same.Key, static same => same.ToImmutableArray());

    private static IEnumerable<OtherLibraryName> Members() =>
    [
        new(Response, "EnsureSuccessStatusCode", "'EnsureSuccess()'"),
        new(Response, "IsSuccessStatusCode", "'IsSuccess'"),
        new(Response, "StatusCode", "'Code'"),
        new(Response, "ReasonPhrase", "'Code.Name', or 'GetText()' for the diagnostic text of an error"),
        new(Response, "Headers", "'Options', such as 'Options.ETag' and 'Options.Location'"),
        new(Response, "ETag", "'Options.ETag'"),
        new(Response, "Location", "'Options.Location'"),
        new(Response, "LocationPath", "'Options.LocationPath'"),
        new(Response, "ObserveSequenceNumber", "'Options.Observe'"),
        new(Response, "Content", Body),
        new(Response, "Body", Body),
        new(Response, "GetJson", "'ReadJson<T>()'"),
        new(Response, "GetFromJson", "'ReadJson<T>()'"),
        new(Response, "ReadFromJsonAsync", "'ReadJson<T>()'"),
        new(Response, "ReadAsStringAsync", "'GetText()'"),
        new(Response, "ReadAsByteArrayAsync", "'Payload'"),
        new(Response, "ReadAsStreamAsync", Download),
        new(Response, "ContentLength", "'Payload.Length'"),
        new(Response, "Dispose", "no call, because a response has nothing to release"),
        new(Response, Disposal, "a plain variable, because a response has nothing to release"),
        new(Response, "Text", "'CoapResults.Text' for the result of a handler"),
        new(Response, "Json", "'CoapResults.Json' for the result of a handler"),
        new(Response, "NotFound", "'CoapResults.NotFound' for the result of a handler"),
        new(Response, "BadRequest", "'CoapResults.BadRequest' for the result of a handler"),

        new(Client, "GetStringAsync", "'GetAsync', and 'EnsureSuccess().GetText()' of its response"),
        new(Client, "GetByteArrayAsync", "'GetAsync', and 'EnsureSuccess().Payload' of its response"),
        new(Client, "GetStreamAsync", Download),
        new(Client, "PostAsJsonAsync", "'PostAsync' with " + Json),
        new(Client, "PutAsJsonAsync", "'PutAsync' with " + Json),
        new(Client, "PatchAsJsonAsync", "'PatchAsync' with " + Json),
        new(Client, "DefaultRequestOptions", RequestDefaults),
        new(Client, "DefaultRequestHeaders", RequestDefaults),
        new(Client, "UsePsk", "'new CoapClient(options => options.UsePsk(identity, key))'"),
        new(Client, "UseDtls", "'new CoapClient(options => options.UseDtls(...))', or 'UsePsk' of the options for a key"),
        new(Client, "UseOscore", Oscore),
        new(Client, "UseProxy", "'Proxy'"),
        new(Client, "SubscribeAsync", "'ObserveAsync(uri)'"),

        new(Context, "Query", "'TryGetQuery(name, out value)', 'Queries', or a parameter of the handler"),
        new(Context, "QueryString", "'Queries'"),
        new(Context, "Body", Body + "; a route of 'WithStreamedBody' has 'BodyReader'"),
        new(Context, "Content", Body),
        new(Context, "ReadFromJsonAsync", "'ReadJson<T>()'"),
        new(Context, "User", "'Peer.Identity'"),
        new(Context, "RouteValues", "'Route', or a parameter of the handler"),
        new(Context, "Headers", "'Options'"),
        new(Context, "Request", "the 'CoapRequestContext' itself, which is the request"),
        new(Context, "HttpContext", "the 'CoapRequestContext' itself, which is the request"),
        new(Context, "Response", "a 'CoapResult' that the handler returns, such as 'CoapResults.Text'"),
        new(Context, "RequestServices", "'Services'"),
        new(Context, "RequestAborted", "'Aborted'"),
        new(Context, "Connection", "'Peer'"),
        new(Context, "RemoteEndPoint", "'Peer.RemoteEndPoint'"),

        new(Request, "Headers", "'Options'"),
        new(Request, "RequestUri", "'Uri'"),
        new(Request, "Body", "'Content' of a request to send; a handler takes a 'CoapRequestContext'"),

        new(Results, "Ok", "'Text', 'Json' or 'Content' for 2.05, and 'Changed()' after PUT and POST"),
        new(Results, "NoContent", "'Changed()' after PUT and POST, and 'Deleted()' after DELETE"),
        new(Results, "Accepted", "'Changed()'"),
        new(Results, "NotModified", "'Valid(etag)', or 'ValidOr(request, etag, ...)'"),
        new(Results, "Forbid", "'Forbidden()'"),
        new(Results, "Challenge", "'Unauthorized()'"),
        new(Results, "StatusCode", "'Status(code)'"),
        new(Results, "Problem", "'Status(code, text)'; the package 'CoAP.NET.Content' has 'CoapResults.Problem'"),
        new(Results, "ValidationProblem", "'UnprocessableEntity(text)'"),
        new(Results, "Created", "'Created(location)', which has no body") { Arguments = OtherLibraryNameArguments.Several },
        new(Results, "Stream", "'Stream(stream, etag, format)' with an entity-tag such as 'CoapETag.FromVersion(1)'; 'File(path)' makes "
            + "one itself"),

        new(Server, "Urls", "'LocalEndpoints'"),
        new(Server, "Addresses", "'LocalEndpoints'"),
        new(Server, "Run", "'RunAsync()'"),
        new(Server, "WaitForShutdownAsync", "'RunAsync(cancellationToken)', which starts the server and waits"),
        new(Server, "Listen", Listening) { Arguments = OtherLibraryNameArguments.NotOneText },
        new(Server, "ListenAnyIP", Listening),
        new(Server, "ListenLocalhost", Listening),
        new(Server, "UsePsk", "'ListenSecure(uri, keys => keys.UsePsk(identity, key))'"),
        new(Server, "UseDtls", "'ListenSecure(uri, keys => ...)'"),
        new(Server, "UseHttps", "'ListenSecure(uri, keys => ...)'"),
        new(Server, "UseForwardProxy", "'MapForwardProxy(new CoapProxy(options))'"),
        new(Server, "UseProxy", "'MapForwardProxy(new CoapProxy(options))'"),
        new(Server, "Use", ServerFilter),
        new(Server, "UseMiddleware", ServerFilter),
        new(Server, "Pipeline", "'new CoapServer(options => options.Pipeline.Insert(...))' with a link of 'CoapStageLinks'"),
        new(Server, "UseOscore", Oscore),
        new(Server, "MapPubSubBroker", "'MapPubSub(path, options)'"),
        new(Server, "MapResourceDirectory", "'MapResourceDirectory(new CoapDirectoryOptions { ... })'")
            { Arguments = OtherLibraryNameArguments.Lambda },
        new(Server, "MapMethods", "'Map(template, methods, handler)'"),
        new(Server, "NotifyAsync", "'Notify(path)'"),

        new(Observation, "CancelAsync", "'DisposeAsync()'"),
        new(Observation, "StopAsync", "'DisposeAsync()'"),
        new(Observation, "UnsubscribeAsync", "'DisposeAsync()'"),
        new(Observation, Enumeration, "'ReadAllAsync()'"),
        new("System.Threading.Tasks.Task`1", Enumeration, "'ReadAllAsync()' of the 'CoapObservation' that 'await client.ObserveAsync(uri)' "
            + "returns")
            { ArgumentType = Observation },

        new(Route, "NotifyAsync", "'Notify()'"),
        new(Route, "Produces", "'WithContentFormat(format)'"),
        new(Resource, "NotifyAsync", "'Notify()'"),

        new(Link, "Uri", "'ResolveTarget(baseUri)', or 'Target' as it was written"),
        new(Link, "Href", "'Target', or 'ResolveTarget(baseUri)' for the whole URI"),
        new(Link, "Rel", "'Relations'"),
        new(Link, "ResourceType", "'ResourceTypes'"),
        new(Link, "ContentFormat", "'ContentFormats'"),

        new(Options, "GetString", "'Get<TOption>()', whose 'Value' is the text"),
        new(Options, "GetValue", "'Get<TOption>()', which has the 'Value'"),
        new(Options, "Set", "'Set(new TOption(value))' with the option, such as 'new ETagOption(bytes)'")
            { Arguments = OtherLibraryNameArguments.Several },
        new(Options, "Add", NewOption) { Arguments = OtherLibraryNameArguments.Several },
        new(Options, "TryGetValue", "'Get<TOption>()', which returns null if there is none") { Arguments = OtherLibraryNameArguments.Several },
        new(Option, "IfMatch", NewOption) { IsExact = true },
        new(Option, "ETag", NewOption) { IsExact = true },
        new(Option, "Accept", NewOption) { IsExact = true },
        new(Option, "ContentFormat", NewOption) { IsExact = true },
        new(Option, "MaxAge", NewOption) { IsExact = true },
        new(Option, "UriPath", NewOption) { IsExact = true },
        new(Option, "UriQuery", NewOption) { IsExact = true },
        new("CoAP.NET.CoapOption`1", Constructor, OwnOption),

        new(Message, "RemoteEndPoint", "'Peer' of the 'CoapRequestContext', or a link with 'CoapDatagram' of 'CoapStageLinks'"),
        new(Message, "Headers", "'Options'"),

        new(OscoreContext, "MasterSecret", OscoreKeys),
        new(OscoreContext, "MasterSalt", "'MasterSalt' of 'OscoreParameters'"),
        new(OscoreContext, "SenderId", OscoreKeys),
        new(OscoreContext, "RecipientId", OscoreKeys),
        new(OscoreContext, Constructor, OscoreKeys),

        new(Web, "UseCoap", "'MapCoap()', or 'WithCoap()' on a route of HTTP"),
        new(Web, "MapCoapGet", HostedRoutes),
        new(Web, "MapCoapForwarder", "'MapCoapResource(pattern, target)', or 'MapCoapProxy(pattern)' for all hosts"),
        new(Services, "AddCoapProxy", "'AddCoapServer().AddCoapProxy(...)'"),
        new(Services, "AddCoap", "'AddCoapServer()' or 'AddCoapClient()'"),
        new("Microsoft.Extensions.Hosting.IHost", "MapGet", HostedRoutes) { IsExact = true },
        new("Microsoft.Extensions.Hosting.IHost", "MapPut", HostedRoutes) { IsExact = true },
        new("Microsoft.Extensions.Hosting.IHost", "MapPost", HostedRoutes) { IsExact = true },
    ];

    // What a request with a content gets instead of a CoapContent.
    private static IEnumerable<OtherLibraryName> Contents() =>
        from method in s_withContent
        from wrong in s_contents
        select new OtherLibraryName(Client, method, wrong.Use) { Arguments = OtherLibraryNameArguments.OfType, ArgumentType = wrong.Type };

    private static IEnumerable<OtherLibraryName> Types() =>
    [
        new(null, "ICoapClientFactory", "'[FromKeyedServices(name)] ICoapClient', which 'AddCoapClient(name, ...)' adds"),
        new(null, "CoapClientOptions", ClientOptions),
        new(null, "CoapServerOptions", "'new CoapServer(options => ...)', whose options are 'CoapEndpointOptions'; 'CoapServerOptions' of "
            + "'CoAP.NET.Hosting' is for 'AddCoapServer'"),
        new(null, "CoapRequestException", "'CoapResponseException', whose 'Response' has the 'Code'"),
        new(null, "CoapStatusCode", "'CoapCode'"),
        new(null, "CoapCompletionOption", Download),
        new(null, "CoapRequestMessage", "'CoapRequest'"),
        new(null, "CoapResponseMessage", "'CoapResponse'"),
        new(null, "CoapContext", "'CoapRequestContext'"),
        new(null, "CoapHttpContext", "'CoapRequestContext'"),
        new(null, "CoapMessageHandler", "'ICoapClientHandler' of 'CoAP.NET.Hosting'"),
        new(null, "CoapDelegatingHandler", "'ICoapClientHandler' of 'CoAP.NET.Hosting'"),
        new(null, "ICoapMiddleware", "'ICoapEndpointFilter' of 'CoAP.NET.Hosting'"),
        new(null, "CoapStringContent", "'CoapContent.Text(text)'"),
        new(null, "CoapJsonContent", "'CoapContent.Json(value)'"),
        new(null, "CoapStreamContent", "'CoapContent.Stream(stream)'"),
        new(null, "CoapMediaType", "'CoapContentFormat'"),
        new(null, "CoapApplication", "'CoapServer'"),
        new(null, "CoapStage", "'CoapStages', or 'CoapStageLinks' for a place between two stages"),
        new(null, "PreSharedKey", "'CoapPskCredential'"),
        new(null, "DtlsClientOptions", "'CoapDtlsClientOptions'"),
        new(null, "DtlsServerOptions", "'CoapDtlsServerOptions'"),
        new(null, "ResourceDirectoryClient", "'CoapDirectoryClient', and 'CoapRegistration.Start' to register"),
        new(null, "ResourceDirectoryRegistration", "'CoapRegistration'"),
        new(null, "PubSubClient", "'CoapPubSubClient'"),
        new(null, "PubSubBroker", "'CoapPubSubBroker'"),
        new(null, "PubSubTopic", "'CoapTopic'"),
        new(null, "PubSubMessage", "'CoapResponse', which 'SubscribeAsync' of 'CoapTopic' returns"),
        new(null, "VirtualNetwork", "'InMemoryNetwork'"),
        new(null, "FakeNetwork", "'InMemoryNetwork'"),
    ];
}
