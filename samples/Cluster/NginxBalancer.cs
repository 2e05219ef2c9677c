using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace ClusterSample;

/// <summary>NGINX with its module for streams (Debian: <c>apt-get install nginx libnginx-mod-stream</c>).</summary>
internal sealed class NginxBalancer : IBalancer
{
    private const string Program = "/usr/sbin/nginx";
    private const string Module = "/usr/lib/nginx/modules/ngx_stream_module.so";
    private const string Identifier = "nginx.pid";
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("coap-nginx-");
    private readonly Process _process;

    private NginxBalancer(IReadOnlyList<NodeProcess> nodes)
    {
        Address = new IPEndPoint(IPAddress.Loopback, FindPort());
        string settings = Path.Combine(_folder.FullName, "nginx.conf");
        File.WriteAllText(settings, $$"""
            load_module {{Module}};
            daemon off;
            worker_processes 1;
            pid {{_folder.FullName}}/{{Identifier}};
            error_log stderr crit;
            events { }
            stream {
                upstream meters {
            {{string.Concat(nodes.Select(static node => $"        server {node.Address} max_fails=1 fail_timeout=30s;\n"))}}
                }
                server {
                    listen {{Address}} udp;
                    proxy_pass meters;
                    proxy_timeout 1s;
                }
            }
            """);
        _process = Process.Start(new ProcessStartInfo(Program, ["-p", _folder.FullName, "-c", settings, "-e", "stderr"]))!;
    }

    public static bool IsInstalled => File.Exists(Program) && File.Exists(Module);

    public IPEndPoint Address { get; }

    /// <summary>Starts it before these servers.</summary>
    public static async Task<NginxBalancer> StartAsync(IReadOnlyList<NodeProcess> nodes)
    {
        NginxBalancer balancer = new(nodes);

        // It writes the file when it listens.
        while (!File.Exists(Path.Combine(balancer._folder.FullName, Identifier)))
        {
            if (balancer._process.HasExited)
            {
                await balancer.DisposeAsync();
                throw new InvalidOperationException("NGINX did not start; its own messages say why.");
            }

            await Task.Delay(s_pause, TimeProvider.System, CancellationToken.None);
        }

        return balancer;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
        }

        _process.Dispose();
        _folder.Delete(recursive: true);
    }

    // A port of UDP that is free now. NGINX does not tell which one it got.
    private static int FindPort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
