using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Composition;
using CoAP.NET.Hosting.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Maps the endpoints of a web application to a CoAP server, once all of them are known.</summary>
internal sealed class EndpointMapping
{
    private readonly IEndpointRouteBuilder _endpoints;
    private readonly IServiceProvider _services;
    private readonly CoapServer _server;
    private readonly CoapEndpointMappingOptions _options;
    private readonly ILogger _logger;

    public EndpointMapping(IEndpointRouteBuilder endpoints, CoapServer server, CoapEndpointMappingOptions options)
    {
        _endpoints = endpoints;
        _services = endpoints.ServiceProvider;
        _server = server;
        _options = options;
        _logger = (_services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(EndpointLog.Category);

        // Handlers of web applications may block or compute. On the thread pool, thousands of requests of CoAP clients would wait before
        // the work of Kestrel.
        Routes = server.MapGroup(string.Empty).WithExecution(CoapExecution.Offloaded());
    }

    public CoapRouteGroup Routes { get; }

    /// <summary>Maps them before the server listens or, if it already does, when the application has started.</summary>
    public void MapWhenStarting()
    {
        if (HostedServerLookup.TryPrepareStart(_services, _server, _ => MapAsync()))
        {
            return;
        }

        if (_services.GetService<IHostApplicationLifetime>() is { } lifetime)
        {
            lifetime.ApplicationStarted.Register(() => _ = MapLateAsync(lifetime));
        }
    }

    private async Task MapLateAsync(IHostApplicationLifetime lifetime)
    {
        try
        {
            await MapAsync().ConfigureAwait(false);
        }
        catch (InvalidOperationException exception)
        {
            ProxyLog.RefusedAtStart(_logger, exception.Message);
            AuthorizationStartupCheck.EndWithFailure(lifetime);
        }
    }

    private async Task MapAsync()
    {
        List<string> problems = [];
        List<ServedEndpoint> served = [];
        ParameterPolicyFactory policies = _services.GetRequiredService<ParameterPolicyFactory>();
        foreach (RouteEndpoint endpoint in _endpoints.DataSources.SelectMany(static source => source.Endpoints).OfType<RouteEndpoint>())
        {
            if (!IsServed(endpoint))
            {
                continue;
            }

            EndpointAuthorization authorization = new(endpoint, _services);
            if ((EndpointMappingValidator.Of(endpoint, _options) ?? await authorization.CheckAsync().ConfigureAwait(false)) is { } reason)
            {
                problems.Add($"{ServedEndpoint.NameOf(endpoint)}: {reason}");
                continue;
            }

            served.Add(new ServedEndpoint(endpoint, policies, authorization, EndpointTimeouts.Of(endpoint, _services, _options.Timeout),
                _options.Translator.Codes));
        }

        if (problems.Count == 0)
        {
            EndpointRunner runner = new(_options, _services, MakePipeline(), _logger);
            new EndpointToCoapRouteMapper(served, Routes, runner, _options.Translator.Json).Map(problems);
        }

        if (problems.Count != 0)
        {
            throw new InvalidOperationException(string.Join(Environment.NewLine,
            [
                "Some endpoints cannot be served over CoAP. Change them, or exclude them with WithoutCoap():", .. problems
            ]));
        }

        if (served.Count == 0)
        {
            EndpointLog.NoEndpointMapped(_logger);
        }
        else
        {
            EndpointLog.EndpointsMapped(_logger, served.Count);
        }
    }

    private bool IsServed(RouteEndpoint endpoint)
    {
        CoapServingMetadata? mark = endpoint.Metadata.GetMetadata<CoapServingMetadata>();
        return endpoint.Metadata.GetMetadata<ISuppressMatchingMetadata>() is not { SuppressMatching: true }
            && (mark?.IsServed ?? (_options.AllEndpoints && endpoint.Metadata.GetMetadata<HttpOnlyMetadata>() is null));
    }

    private RequestDelegate MakePipeline()
    {
        if (_options.Pipeline is not { } configure)
        {
            return static context => context.GetEndpoint()!.RequestDelegate!(context);
        }

        IApplicationBuilder application = _endpoints.CreateApplicationBuilder();
        configure(application);
        application.Run(static context => context.GetEndpoint()?.RequestDelegate?.Invoke(context) ?? Task.CompletedTask);
        return application.Build();
    }
}
