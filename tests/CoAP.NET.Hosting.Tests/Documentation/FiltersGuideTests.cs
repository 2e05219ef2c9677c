namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>The snippets of docs/filters.md, so that they compile and do what the page says.</summary>
public sealed class FiltersGuideTests : ServedTest
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() => Page.HasOnlyCompiledSnippets("filters.md", 14);

    [Fact]
    public async Task The_snippets_about_filters_work()
    {
        ICoapServerBuilder server = Server;
        CoapRouteGroup devices = server.MapGroup("/devices").AddFilter(async (request, next, cancellationToken) =>
        {
            CoapResult result = await next(request, cancellationToken);
            return result.Code == CoapCode.NotFound ? CoapResults.NotFound($"There is no {request.Path}.") : result;
        });
        devices.MapGet("/{id}", () => CoapResults.NotFound());

        server.MapPost("/lock", () => CoapResults.Changed()).AddFilter<AuditFilter>();
        Services.AddSingleton<AuditLog>();

        server.MapGet("/firmware", () => CoapResults.File("firmware.bin")).RequireScheme("coap+tcp", "coaps+tcp");
        server.MapGroup("/admin").RequireTransportSecurity();

        server.MapResource<LockResource>("/locks/{id}").Observable();
        Services.AddSingleton<LockStore>();

        await StartAsync();
        await AskAsync("/devices/7").Says("There is no /devices/7.");
        await AskAsync("/lock", CoapMethod.Post).Gives(CoapCode.Changed);
        Assert.Single(Get<AuditLog>().Lines).Ends(": 2.04 Changed");
        await AskAsync("/firmware").Gives(CoapCode.NotFound);
        await AskAsync("/locks/1", CoapMethod.Put, request => request.Content = CoapContent.Text("open")).Gives(CoapCode.Changed);
        await AskAsync("/locks/1").Says("open");
    }

    [Fact]
    public async Task The_snippets_about_authorization_work()
    {
        HostApplicationBuilder builder = Application;
        builder.Services.AddSingleton<MemberStore>();
        builder.Services.AddCoapAuthorization(options =>
        {
            options.AddPolicy("admin",
                policy => policy.RequireSecureTransport().RequireCertificate(certificate => certificate.Subject == "CN=admin"));
            options.AddPolicy("member", policy => policy.RequireIdentity().RequireAuthorizer<MemberAuthorizer>());
        });
        ICoapServerBuilder server = Server;
        ICoapPeerIdentity? identity = null;
        server.Routes.AddFilter((request, next, cancellationToken) =>
        {
            request.Channel!.Identity = Volatile.Read(ref identity);
            return next(request, cancellationToken);
        });

        server.Routes.RequireAuthorization();
        server.MapGet("/version", () => "1.0").AllowAnonymous();
        server.MapGet("/members/{name}", () => "hello").RequireAuthorization("member");
        server.MapDelete("/members/{name}", () => CoapResults.Deleted()).RequireAuthorization("admin");

        await StartAsync();
        await AskAsync("/version").Says("1.0");
        await AskAsync("/members/ann").Gives(CoapCode.Unauthorized);
        Volatile.Write(ref identity, new CoapNamedPeerIdentity("ann"));
        await AskAsync("/members/ann").Says("hello");
        await AskAsync("/members/bob").Gives(CoapCode.NotFound);
        await AskAsync("/members/ann", CoapMethod.Delete).Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task The_snippets_about_rate_limits_work()
    {
        HostApplicationBuilder builder = Application;
        builder.Services.AddCoapRateLimits(options => options.AddLimit("per device", request =>
            RateLimitPartition.GetTokenBucketLimiter(request.Peer.Source, _ => new TokenBucketRateLimiterOptions
            {
                TokenLimit = 20,
                TokensPerPeriod = 5,
                ReplenishmentPeriod = TimeSpan.FromSeconds(1),
            })));
        ICoapServerBuilder server = Server;
        server.MapGroup("/measurements")
            .RequireAuthorization(policy => policy.RequireVerifiedAddress())
            .RequireRateLimiting("per device")
            .MapPost("/", () => CoapResults.Changed());

        await StartAsync();

        // A client that does not answer the challenge.
        CoapRequest stranger = new(CoapMethod.Post, Uri("/measurements")) { IsForwarded = true };
        await Client().SendAsync(stranger).Gives(CoapCode.Unauthorized);
        await AskAsync("/measurements", CoapMethod.Post).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task The_snippets_about_problem_details_work()
    {
        ICoapServerBuilder server = Server;
        server.MapPost("/doors/{id}", request => CoapResults.Problem(CoapCode.Conflict, new CoapProblem
        {
            Title = "The door is locked.",
            Instance = request.Path,
        }));
        server.Routes.WithProblemDetails();

        await StartAsync();
        CoapClient client = Client();
        string uri = Uri("/doors/7");
        CoapResponse response = await client.PostAsync(uri, null);
        if (response.TryReadProblem(out CoapProblem? problem))
        {
            Console.WriteLine($"{response.Code}: {problem.Title} ({problem.Instance})");
        }

        Assert.Equal("/doors/7", problem!.Instance);
        Assert.Equal("The peer answered 4.09 Conflict: The door is locked.",
            Assert.Throws<CoapResponseException>(response.EnsureSuccess).Message);
    }

    internal sealed class AuditFilter(AuditLog log) : ICoapEndpointFilter
    {
        public async ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next)
        {
            CoapResult result = await next(context.Request, context.CancellationToken);
            log.Add($"{context.Request} from {context.Request.Peer}: {result.Code}");
            return result;
        }
    }

    internal sealed class AuditLog
    {
        public ConcurrentQueue<string> Lines { get; } = [];

        public void Add(string line) => Lines.Enqueue(line);
    }

    internal sealed class LockResource(LockStore store) : CoapResource
    {
        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(store.IsOpen(request.Route["id"]) ? "open" : "shut");

        protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken)
        {
            store.Set(request.Route["id"], request.GetText() == "open");
            Notify();
            return new(CoapResults.Changed());
        }
    }

    internal sealed class LockStore
    {
        private readonly ConcurrentDictionary<string, bool> _locks = new();

        public bool IsOpen(string id) => _locks.GetValueOrDefault(id);

        public void Set(string id, bool isOpen) => _locks[id] = isOpen;
    }

    internal sealed class MemberAuthorizer(MemberStore members) : ICoapAuthorizer
    {
        public async ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context,
            CancellationToken cancellationToken) =>
                await members.MayAsync(context.Identity, context.Request.Route["name"], cancellationToken)
                    ? CoapAuthorizationDecision.Allowed
                    : CoapAuthorizationDecision.Refused(CoapResults.NotFound());
    }

    internal sealed class MemberStore
    {
        private readonly HashSet<string> _members = ["ann"];

        public async ValueTask<bool> MayAsync(ICoapPeerIdentity? identity, string name, CancellationToken cancellationToken)
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            return identity is CoapNamedPeerIdentity own && own.Name == name && _members.Contains(name);
        }
    }
}
