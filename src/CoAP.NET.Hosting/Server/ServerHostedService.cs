using CoAP.NET.Binding;
using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Hosting.Server;

/// <summary>Starts a server with the host, and drains it when the host stops.</summary>
#pragma warning disable CA1001 // StopAsync disposes its fields
internal sealed class ServerHostedService(IServiceProvider services, ServerRegistration registration, HostedServerExtension[] parts)
    : IHostedService
#pragma warning restore CA1001
{
    private readonly ILogger _logger = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance)
        .CreateLogger(HostingLog.Category);
    private Task _watch = Task.CompletedTask;
    private CredentialFileMonitor? _credentials;
    private ConfigurationChangeWarning? _configuration;
    private bool _stopsApplication;
    private Exception? _gaveUp;
    private string? _failedSection;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ServeAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // The host logs the exception with its stack, twice.
            string reason = _failedSection is null ? exception.Message : CoapUntrustedText.LineOf(exception.InnerException!.Message);
            HostingLog.NotStarted(_logger, registration.Title, _failedSection ?? registration.SectionPath, reason);
            throw;
        }
    }

    private async Task ServeAsync(CancellationToken cancellationToken)
    {
        CoapServerOptions options = services.OptionsOf<CoapServerOptions>(registration.Name);
        _stopsApplication = options.StopApplicationOnFailure;
        CoapServer server = services.GetRequiredKeyedService<CoapServer>(registration.Name);
        await registration.Preparations.RunAsync(cancellationToken).ConfigureAwait(false);
        registration.Routes.CheckBinding(services);
        registration.Life.Server = server;
        registration.Life.MaxRequestsServed = options.Limits.Requests.MaxServed;
        foreach (HostedServerExtension part in parts)
        {
            try
            {
                await part.OpenAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (CoapException exception)
            {
                registration.Life.Failure = exception;
                registration.Life.Phase = ServerPhase.Failed;
                _failedSection = $"{registration.SectionPath}:{part.Section}";
                throw new CoapException(
                    $"{registration.Title} cannot start ({_failedSection}). {CoapUntrustedText.LineOf(exception.Message)}", exception);
            }
        }

        try
        {
            await server.StartAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            registration.Life.Failure = exception;
            registration.Life.Phase = ServerPhase.Failed;
            _failedSection = $"{registration.SectionPath}:Endpoints";
            throw new CoapBindException(
                $"{registration.Title} cannot start ({_failedSection}). {CoapUntrustedText.LineOf(exception.Message)}", exception);
        }

        registration.Life.Phase = ServerPhase.Serving;
        if (registration.Life.Credentials is { Count: > 0 } credentials)
        {
            _credentials = new CredentialFileMonitor(
                credentials, server.Endpoint, registration.Title, options.Endpoint.TimeProvider);
        }

        _configuration = ConfigurationChangeWarning.Begin(registration.SectionIn(services), registration.Title, _logger);
        foreach (HostedServerExtension part in parts)
        {
            part.Begin(server);
        }

        _watch = WatchAsync(server);
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

        await Task.WhenAll(parts.Select(part => part.LeaveAsync(cancellationToken))).ConfigureAwait(false);

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

        foreach (HostedServerExtension part in parts.Reverse())
        {
            await part.CloseAsync().ConfigureAwait(false);
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
