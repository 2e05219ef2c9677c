using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Starts a server with the host, and drains it when the host stops.</summary>
#pragma warning disable CA1001 // StopAsync disposes its fields
internal sealed class ServerHostedService(IServiceProvider services, ServerRegistration registration) : IHostedService
#pragma warning restore CA1001
{
    private readonly ILogger _logger = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance)
        .CreateLogger(HostingLog.Category);
    private Task _watch = Task.CompletedTask;
    private CredentialWatch? _credentials;
    private ConfigurationWatch? _configuration;
    private OscoreFileWatch? _contexts;
    private bool _stopsApplication;
    private Exception? _gaveUp;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ServeAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // The host logs the exception with its stack, twice.
            HostingLog.NotStarted(_logger, exception.Message);
            throw;
        }
    }

    private async Task ServeAsync(CancellationToken cancellationToken)
    {
        CoapServerOptions options = services.GetRequiredService<IOptionsMonitor<CoapServerOptions>>().Get(registration.Name);
        _stopsApplication = options.StopApplicationOnFailure;
        CoapServer server = services.GetRequiredKeyedService<CoapServer>(registration.Name);
        await registration.Preparations.RunAsync(cancellationToken).ConfigureAwait(false);
        registration.Routes.CheckBinding(services);
        registration.Life.Server = server;
        registration.Life.MaxRequestsServed = options.Limits.MaxRequestsServed;
        try
        {
            if (!options.Oscore.IsEmpty)
            {
                await services.GetRequiredKeyedService<HostedOscore>(registration.Name)
                    .OpenAsync(options.Oscore.Files, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (CoapException exception)
        {
            registration.Life.Failure = exception;
            registration.Life.Phase = ServerPhase.Failed;
            throw new CoapException(
                $"{registration.Title} cannot start ({registration.SectionPath}:Oscore). {CoapForeignText.LineOf(exception.Message)}",
                exception);
        }

        try
        {
            await server.StartAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            registration.Life.Failure = exception;
            registration.Life.Phase = ServerPhase.Failed;
            throw new CoapBindException(
                $"{registration.Title} cannot start ({registration.SectionPath}:Endpoints). {CoapForeignText.LineOf(exception.Message)}",
                exception);
        }

        registration.Life.Phase = ServerPhase.Serving;
        if (registration.Life.Credentials is { Count: > 0 } credentials)
        {
            _credentials = new CredentialWatch(credentials, server.Endpoint, registration.Title, options.Endpoint.TimeProvider, _logger);
        }

        _configuration = ConfigurationWatch.Begin(
            registration.Section ?? services.GetService<IConfiguration>()?.GetSection(registration.DefaultPath), registration.Title,
            _logger);
        if (!options.Oscore.IsEmpty)
        {
            _contexts = new OscoreFileWatch(services.GetRequiredKeyedService<HostedOscore>(registration.Name), server,
                registration.Title, options.Endpoint.TimeProvider, _logger);
        }

        _watch = WatchAsync(server);
        registration.Life.Directories.Start(services, server, options.Directories, registration.Name);
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (registration.Life.Server is not { } server)
        {
            return;
        }

        bool serves = registration.Life.Phase == ServerPhase.Serving;
        if (serves)
        {
            registration.Life.Phase = ServerPhase.Stopping;
        }

        // Clients should no longer find a server that is about to stop.
        await registration.Life.Directories.StopAsync(cancellationToken).ConfigureAwait(false);

        // The host's shutdown time ends the grace period.
        Task stopping = server.StopAsync(cancellationToken);
        if (serves)
        {
            HostingLog.Draining(_logger, registration.Title, server.RequestsServed);
        }

        await stopping.ConfigureAwait(false);
        _configuration?.Dispose();
        if (_credentials is { } credentials)
        {
            await credentials.DisposeAsync().ConfigureAwait(false);
        }

        if (_contexts is { } contexts)
        {
            // After the last answer, so that the store has all received numbers.
            await contexts.DisposeAsync().ConfigureAwait(false);
            await services.GetRequiredKeyedService<HostedOscore>(registration.Name).DisposeAsync().ConfigureAwait(false);
        }

        await _watch.ConfigureAwait(false);
        if (registration.Life.Phase != ServerPhase.Failed)
        {
            registration.Life.Phase = ServerPhase.Stopped;
            HostingLog.Stopped(_logger, registration.Title);
        }
        else if (_gaveUp is not null && _stopsApplication)
        {
            // The process ends with an error, so that its supervisor restarts it.
            throw new CoapException($"{registration.Title} failed, and the application stopped because of it. {_gaveUp.Message}", _gaveUp);
        }
    }

    private async Task WatchAsync(CoapServer server)
    {
        try
        {
            await server.Endpoint.Completion.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // any exception of a user's block
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _gaveUp = exception;
            registration.Life.Failure = exception;
            registration.Life.Phase = ServerPhase.Failed;
            if (_stopsApplication)
            {
                HostingLog.ServerFailedAndStops(_logger, registration.Title, exception);
                services.GetService<IHostApplicationLifetime>()?.StopApplication();
            }
            else
            {
                HostingLog.ServerFailed(_logger, registration.Title, exception);
            }
        }
    }
}
